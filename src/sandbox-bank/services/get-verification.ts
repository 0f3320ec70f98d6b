import type { Outcome } from '../answers/answer';
import { JSON_TYPE, outcome, respond, respondError } from '../answers/answer';
import { faultAnswer } from '../answers/fault-answer';
import type { Verifications, BankVerification } from '../book/verifications';
import type { VerificationBehaviour } from '../rules/verification-rule-schema';
import { invalidBody } from './service';
import type { BankService, Query } from './service';
import { writeJson } from '../json';
import { applyEchoes } from '../rules/echo';
import { naturalPerson, legalPerson, requester } from '../answers/made-up-persons';

const NAME = 'get-verification';
const PATH = '/external/kyc-kyb/api-get-identity-verification-request';

/** The reference contradicts itself about the method: the bank accepts one, and answers the other with 405. */
export function getVerificationServices(
  verifications: Verifications,
  choose: (requestId: string) => VerificationBehaviour,
  method: BankService['method'],
): readonly BankService[] {
  const shared = {
    name: NAME,
    path: PATH,
    signed: false,
    takesBody: false,
    originIdOf: () => null,
    requestIdOf,
  };
  const wrongMethod = respondError(405, 'METHOD_NOT_ALLOWED', `This service takes ${method}`);
  return [
    {
      ...shared,
      method,
      answer: (_body, query) => {
        const requestId = requestIdOf(query);
        if (requestId === null) return invalidBody('requestId: must stand once in the query string');
        return answerFor(verifications, requestId, choose);
      },
    },
    {
      ...shared,
      method: method === 'GET' ? 'POST' : 'GET',
      answer: () => outcome('wrong-method', withHeader(wrongMethod, 'allow', method)),
    },
  ];
}

const requestIdOf = ({ requestId }: Query): string | null =>
  typeof requestId === 'string' && requestId !== '' ? requestId : null;

function answerFor(
  verifications: Verifications,
  requestId: string,
  choose: (requestId: string) => VerificationBehaviour,
): Outcome {
  const verification = verifications.dossierFor(requestId, choose);
  const { word, fault, delayMs } = verifications.nextStep(verification);
  if (fault.kind === 'not-found') {
    const answer = respondError(404, 'VERIFICATION_NOT_FOUND', 'No verification with this identifier');
    return { ...outcome(word, answer), delayMs };
  }
  if (fault.kind !== 'ok') {
    const json = () => verificationJson(verification, verification.answers + 1);
    return { ...outcome(word, faultAnswer(fault, PATH, json)), delayMs };
  }
  const status = verifications.advance(verification);
  const answer = respond(200, JSON_TYPE, verificationJson(verification, verification.answers));
  return { ...outcome(word, answer), delayMs, movementStatus: status };
}

const withHeader = (answer: Outcome['answer'], name: string, value: string): Outcome['answer'] =>
  answer.kind === 'respond' ? { ...answer, headers: { ...answer.headers, [name]: value } } : answer;

/**
 * The answer of bank-api endpoint 5 as JSON text, with the rule's wrong and missing fields for this answer (from 1).
 */
function verificationJson(verification: BankVerification, answerNumber: number): string {
  const { requestId, behaviour, requestedAt, statusAt, statuses, position } = verification;
  const json = {
    requestId,
    requestedDate: bankTime(requestedAt).slice(0, 19),
    status: statuses[Math.max(position, 0)] ?? '',
    // Seven fractional digits and no zone, as the bank writes them.
    statusDate: `${bankTime(statusAt)}4567`,
    requesterPerson: requester,
    requestedPerson: behaviour.person === 'natural' ? naturalPerson : legalPerson,
    account: null,
  };
  applyEchoes(json, behaviour.echo, answerNumber);
  return writeJson(json);
}

const BUENOS_AIRES_BEHIND_UTC_MS = 3 * 3_600_000;

/** `2026-01-31T09:00:00.123`: local time in Buenos Aires. */
function bankTime(isoUtc: string): string {
  return new Date(Date.parse(isoUtc) - BUENOS_AIRES_BEHIND_UTC_MS).toISOString().replace('Z', '');
}
