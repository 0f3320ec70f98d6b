import type { DecisionAction } from './decision';

/** What a signature covers: the decision, its order, the evidence and the expiry. */
export interface SignedStatement {
  readonly action: DecisionAction;
  /** `evidenceNumber` of query `state` when the statement was signed. */
  readonly evidenceNumber: number;
  /** ISO UTC. */
  readonly expiresAt: string;
  /** The Temporal namespace. */
  readonly namespace: string;
  readonly operator: string;
  readonly orderSha256: string;
  readonly originId: number;
  readonly reason: string;
}

/** Purpose of the signature (`ssh-keygen -Y sign -n`): a signature for another purpose does not count. */
export const DECISION_SIGNATURE_NAMESPACE = 'giro-decision';

/** Maximum length of an armoured signature; that of a hardware key has fewer than 800 characters. */
export const SIGNATURE_MAX_LENGTH = 4_096;

/** How far ahead a signature may expire. */
export const SIGNATURE_LIFE_MAX_MS = 3_600_000;

/** `2026-05-12T14:03:07Z`, with or without milliseconds. */
const EXPIRY = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/;

export const hasExpiryForm = (expiresAt: string): boolean => EXPIRY.test(expiresAt);

/**
 * The line that is signed: canonical JSON (RFC 8785) and one line feed. Its values are safe integers, and strings
 * without lone surrogates. For these values `JSON.stringify` writes the canonical form if the names are in order.
 */
export function decisionLine({
  action,
  evidenceNumber,
  expiresAt,
  namespace,
  operator,
  orderSha256,
  originId,
  reason,
}: SignedStatement): string {
  const inOrder = { action, evidenceNumber, expiresAt, namespace, operator, orderSha256, originId, reason };
  return `${JSON.stringify(inOrder)}\n`;
}

/** Reads a signed line; null: the text is not such a line, or not in canonical form. */
export function readDecisionLine(line: string): SignedStatement | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const statement = value as SignedStatement;
  return decisionLine(statement) === line && hasTypes(statement) ? statement : null;
}

const hasTypes = ({ evidenceNumber, originId, ...texts }: SignedStatement): boolean =>
  Number.isSafeInteger(evidenceNumber) &&
  Number.isSafeInteger(originId) &&
  [texts.action, texts.expiresAt, texts.namespace, texts.operator, texts.orderSha256, texts.reason].every(
    (text) => typeof text === 'string',
  );
