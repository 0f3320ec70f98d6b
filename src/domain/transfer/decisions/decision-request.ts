import { DECISION_ACTIONS, proofOf } from './decision';
import { SIGNATURE_MAX_LENGTH, hasExpiryForm } from './decision-line';
import { isOperator, OPERATOR_RULE } from '../../operator';
import type { DecisionAction, DecisionRequest } from './decision';

/** A rule that a field of a decision breaks. Values are not repeated. */
export interface DecisionIssue {
  readonly field: keyof DecisionRequest | 'request';
  readonly rule: string;
}

export type ReadDecision =
  | { readonly ok: true; readonly request: DecisionRequest }
  | { readonly ok: false; readonly issues: readonly DecisionIssue[] };

export const REASON_MAX_LENGTH = 500;

const FIELDS: readonly string[] = [
  'action',
  'operator',
  'reason',
  'originId',
  'evidenceNumber',
  'expiresAt',
  'signature',
] satisfies (keyof DecisionRequest)[];
const ACTIONS: readonly unknown[] = DECISION_ACTIONS;

/** Letters, digits, punctuation and spaces: nothing that breaks a line of a log or a table. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

/** Reads the argument of update `decide`, which any client may have written. */
export function readDecision(input: unknown): ReadDecision {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return {
      ok: false,
      issues: [{ field: 'request', rule: 'must be one object {"originId","action","operator","reason"}' }],
    };
  }
  const fields = input as Readonly<Record<string, unknown>>;
  const { action, operator, reason, originId } = fields;
  const issues: DecisionIssue[] = [];
  if (!ACTIONS.includes(action)) {
    issues.push({ field: 'action', rule: `must be one of ${DECISION_ACTIONS.join(', ')}` });
  }
  if (typeof operator !== 'string' || !isOperator(operator))
    issues.push({ field: 'operator', rule: OPERATOR_RULE });
  if (!isReason(reason)) {
    issues.push({
      field: 'reason',
      rule: `must be one line of text of 1 to ${REASON_MAX_LENGTH} characters`,
    });
  }
  if (originId !== undefined && !(typeof originId === 'number' && Number.isSafeInteger(originId)))
    issues.push({ field: 'originId', rule: 'must be an integer, where it is given' });
  issues.push(...proofIssues(fields));
  const others = Object.keys(input).filter((field) => !FIELDS.includes(field));
  if (others.length > 0) {
    issues.push({ field: 'request', rule: `may have only the fields ${FIELDS.join(', ')}` });
  }
  if (issues.length > 0) return { ok: false, issues };
  return {
    ok: true,
    request: {
      action: action as DecisionAction,
      operator: operator as string,
      reason: (reason as string).trim(),
      ...(originId === undefined ? {} : { originId: originId as number }),
      ...(proofOf(input as DecisionRequest) ?? {}),
    },
  };
}

/** Checks the form only: a worker verifies the signature, because workflow code has neither crypto nor keys. */
function proofIssues(input: Readonly<Record<string, unknown>>): DecisionIssue[] {
  const { evidenceNumber, expiresAt, signature } = input;
  if ([evidenceNumber, expiresAt, signature].every((field) => field === undefined)) return [];
  const issues: DecisionIssue[] = [];
  if (typeof evidenceNumber !== 'number' || !Number.isSafeInteger(evidenceNumber) || evidenceNumber < 0)
    issues.push({ field: 'evidenceNumber', rule: 'must be an integer from 0 on, beside a signature' });
  if (typeof expiresAt !== 'string' || !hasExpiryForm(expiresAt))
    issues.push({ field: 'expiresAt', rule: 'must be a time as 2026-05-12T14:03:07Z, beside a signature' });
  if (typeof signature !== 'string' || signature.length > SIGNATURE_MAX_LENGTH)
    issues.push({
      field: 'signature',
      rule: `must be an armoured SSH signature of at most ${SIGNATURE_MAX_LENGTH} characters`,
    });
  return issues;
}

function isReason(value: unknown): boolean {
  const text = typeof value === 'string' ? value.trim() : '';
  return text !== '' && text.length <= REASON_MAX_LENGTH && PRINTABLE.test(text);
}

/** The refusal as a sentence for people. */
export const describeDecisionIssues = (issues: readonly DecisionIssue[]): string =>
  `decision refused: ${issues.map(({ field, rule }) => `${field} ${rule}`).join('; ')}`;
