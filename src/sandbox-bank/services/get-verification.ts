import type { Outcome } from '../answers/answer';
import { JSON_TYPE, outcome, respond, respondError } from '../answers/answer';
import { faultAnswer } from '../answers/fault-answer';
import { verificationJson } from '../answers/verification-json';
import type { Verifications } from '../book/verifications';
import type { VerificationBehaviour } from '../rules/verification-rule-schema';
import { invalidBody } from './service';
import type { BankService, Query } from './service';

const NAME = 'get-verification';
const PATH = '/external/kyc-kyb/api-get-identity-verification-request';

/** The reference contradicts itself about the method: the bank takes one, and answers the other with 405. */
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
  return { answer, outcome: word, delayMs, movementStatus: status };
}

const withHeader = (answer: Outcome['answer'], name: string, value: string): Outcome['answer'] =>
  answer.kind === 'respond' ? { ...answer, headers: { ...answer.headers, [name]: value } } : answer;
