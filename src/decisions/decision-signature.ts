import {
  DECISION_SIGNATURE_NAMESPACE,
  SIGNATURE_LIFE_MAX_MS,
  hasExpiryForm,
  readDecisionLine,
} from '../domain/transfer/decisions/decision-line';
import type { SignedStatement } from '../domain/transfer/decisions/decision-line';
import { readSshSignature } from '../signing/ssh/signature';
import type { SshSignature } from '../signing/ssh/signature';
import { SshFormError } from '../signing/ssh/wire';
import { signersOf } from './allowed-signers';
import type { AllowedSigner } from './allowed-signers';

/** Why a signature of a decision can fail, in the order of the checks. */
const SIGNATURE_RULES = {
  'unreadable-line': 'the signed text is not the line of a decision',
  'unreadable-signature': 'not an SSH signature, or not of an accepted kind',
  'other-purpose': `it was made for another purpose than ${DECISION_SIGNATURE_NAMESPACE} (ssh-keygen -n)`,
  'wrong-signature': 'the signature is wrong: it does not match this decision about this transfer',
  'not-listed': 'the signature is valid, but its key is not listed for this operator',
  'not-valid-then': 'the key is listed for this operator, but was not valid at this time',
  expired: 'the signature has expired',
  'expires-too-late': 'the signature expires more than an hour ahead',
} as const;
export type SignatureRule = keyof typeof SIGNATURE_RULES;

export interface KeptSignature {
  /** What was signed, with its line feed. */
  readonly line: string;
  /** Armoured. */
  readonly signature: string;
  readonly signers: readonly AllowedSigner[];
  /** When the decision was recorded, or will be: validity and expiry are judged at this time. ms since 1970. */
  readonly atMs: number;
}

export type JudgedSignature =
  | { readonly ok: true; readonly statement: SignedStatement; readonly keyFingerprint: string }
  | { readonly ok: false; readonly rule: SignatureRule; readonly says: string };

/**
 * Verifies one signature of a decision: it is over this line, by a key that is listed for this operator at that time.
 * The caller compares what the line says (transfer, action, evidence). Pure.
 */
export function judgeKeptSignature({ line, signature, signers, atMs }: KeptSignature): JudgedSignature {
  const statement = readDecisionLine(line);
  if (statement === null) return broken('unreadable-line');
  const read = readOrReason(signature);
  if (typeof read === 'string') return broken('unreadable-signature', `: it ${read}`);
  if (read.namespace !== DECISION_SIGNATURE_NAMESPACE) return broken('other-purpose');
  if (!read.verifies(Buffer.from(line, 'utf8'))) return broken('wrong-signature');
  const { fingerprint } = read.key;
  const listed = signersOf(signers, { operator: statement.operator, fingerprint }).filter(isForDecisions);
  if (listed.length === 0) return broken('not-listed', `: ${fingerprint}`);
  if (!listed.some((one) => isValidAt(one, atMs))) return broken('not-valid-then');
  const expiresMs = hasExpiryForm(statement.expiresAt) ? Date.parse(statement.expiresAt) : NaN;
  // A date that does not exist is refused.
  if (!(atMs < expiresMs)) return broken('expired');
  if (expiresMs - atMs > SIGNATURE_LIFE_MAX_MS) return broken('expires-too-late');
  return { ok: true, statement, keyFingerprint: fingerprint };
}

/** An operator's decision as the journal stores it. */
export interface SignedDecision {
  readonly action: string;
  readonly operator: string;
  readonly reason: string;
  /** This and the next two fields are null if the decision was not signed. */
  readonly line: string | null;
  readonly signature: string | null;
  readonly keyFingerprint: string | null;
  readonly recordedAtMs: number;
}

/**
 * Why a stored decision does not count; null: it does. The key must have been valid when the decision was recorded: a
 * decision by an operator who has left since still counts.
 */
export function keptDecisionIssue(
  { line, signature, keyFingerprint, recordedAtMs: atMs, ...kept }: SignedDecision,
  about: {
    readonly originId: number;
    readonly orderSha256: string;
    /** Temporal's; null: any. */
    readonly namespace: string | null;
    readonly signers: readonly AllowedSigner[];
  },
): string | null {
  if (line === null || signature === null) return 'it is not signed';
  const { originId, orderSha256, namespace, signers } = about;
  const judged = judgeKeptSignature({ line, signature, atMs, signers });
  if (!judged.ok) return judged.says;
  const { statement } = judged;
  const isAsSaid =
    statement.originId === originId &&
    statement.orderSha256 === orderSha256 &&
    (namespace === null || statement.namespace === namespace) &&
    statement.action === kept.action &&
    statement.operator === kept.operator &&
    statement.reason === kept.reason &&
    judged.keyFingerprint === keyFingerprint;
  return isAsSaid ? null : 'what was signed is another decision';
}

type OfPair = Pick<SignedDecision, 'line' | 'keyFingerprint'>;

/**
 * Why the signed statements of a proposal and its acceptance do not match; null: they match, or neither is signed.
 * `keptDecisionIssue` checks each signature.
 */
export function pairIssue(proposed: OfPair, accepted: OfPair): string | null {
  if (proposed.line === null && accepted.line === null) return null;
  if (proposed.line === null || accepted.line === null) return 'one of two decisions is not signed';
  if (proposed.keyFingerprint === accepted.keyFingerprint) return 'two decisions with one key';
  const [first, second] = [proposed.line, accepted.line].map(
    (line) => readDecisionLine(line)?.evidenceNumber,
  );
  return first !== undefined && first === second
    ? null
    : 'the two decisions were signed over different evidence';
}

function readOrReason(signature: string): SshSignature | string {
  try {
    return readSshSignature(signature);
  } catch (error) {
    if (error instanceof SshFormError) return error.message;
    throw error;
  }
}

const isForDecisions = ({ namespaces }: AllowedSigner): boolean =>
  namespaces?.includes(DECISION_SIGNATURE_NAMESPACE) ?? true;

/** Whether decisions that this line's key signs at this time count. */
export const maySignAt = (signer: AllowedSigner, atMs: number): boolean =>
  isForDecisions(signer) && isValidAt(signer, atMs);

const isValidAt = ({ validAfterMs, validBeforeMs }: AllowedSigner, atMs: number): boolean =>
  (validAfterMs === null || atMs >= validAfterMs) && (validBeforeMs === null || atMs < validBeforeMs);

const broken = (rule: SignatureRule, more = ''): JudgedSignature => ({
  ok: false,
  rule,
  says: SIGNATURE_RULES[rule] + more,
});
