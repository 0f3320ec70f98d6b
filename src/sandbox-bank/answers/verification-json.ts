import type { BankVerification } from '../book/verifications';
import { writeJson } from '../json';
import { applyEchoes } from './apply-echo';
import { naturalPerson, legalPerson, requester } from './made-up-persons';

/** The answer of bank-api endpoint 5 as JSON text, with the rule's wrong and missing fields for this answer (from 1). */
export function verificationJson(verification: BankVerification, answerNumber: number): string {
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

/** `2026-01-31T09:00:00.123`: the instant on a clock in Buenos Aires. */
function bankTime(isoUtc: string): string {
  return new Date(Date.parse(isoUtc) - BUENOS_AIRES_BEHIND_UTC_MS).toISOString().replace('Z', '');
}
