import type { SeenMovement } from './answers';
import type { DecisionRecord } from './decisions/decision';
import type { RequestKind } from './records';

/**
 * Whether the bank's answers are about one movement, and about ours (contract 4.4). The run and the journal's facts use
 * the same functions, so that they cannot disagree.
 */
export interface EchoState {
  /** Distinct ids in answers to our requests, with any echo, since operators last decided about a mismatch. */
  readonly movementIds: readonly string[];
  /** A look-up reported another originId. */
  readonly isOtherOrigin: boolean;
  /** A mismatch holds the transfer until an answer matches; if the identity is in doubt, until operators decide. */
  readonly isMismatched: boolean;
}

export const NO_ECHO: EchoState = { movementIds: [], isOtherOrigin: false, isMismatched: false };

/** Two ids put the identity in doubt; more ids change nothing. */
const MOVEMENT_IDS_MAX = 4;

/** The bank has reported two movements, or another transfer's: no later answer can show which movement is ours. */
export const isIdentityDoubted = ({ movementIds, isOtherOrigin }: EchoState): boolean =>
  isOtherOrigin || movementIds.length > 1;

export interface JudgedEcho {
  readonly echo: EchoState;
  /** The answer reports the movement that counts as ours: its status and ids are shown. */
  readonly isReported: boolean;
  /** Nothing is in doubt: a final status of this movement may end the transfer. */
  readonly isOurs: boolean;
}

/**
 * What an answer changes. The first row that fits decides.
 *
 * | answer                                 | `isMismatched` then | `isOurs` |
 * |----------------------------------------|---------------------|----------|
 * | the identity is in doubt, any echo     | yes                 | no       |
 * | mismatch, from a look-up               | yes                 | no       |
 * | mismatch, from a create                | as before           | no       |
 * | incomplete, after a mismatch           | yes, as before      | no       |
 * | incomplete or match                    | no                  | yes      |
 */
export function echoAfter(
  before: EchoState,
  seen: Pick<SeenMovement, 'movementId' | 'echo' | 'echoFields'>,
  by: Exclude<RequestKind, 'withdrawal'>,
): JudgedEcho {
  const isLookup = by === 'lookup';
  // In an incomplete answer, the field means that the originId is absent.
  const isOther = isLookup && seen.echo === 'mismatch' && seen.echoFields.includes('originId');
  const known = {
    movementIds: withId(before.movementIds, seen.movementId),
    isOtherOrigin: before.isOtherOrigin || isOther,
    isMismatched: before.isMismatched,
  };
  const isDoubted = isIdentityDoubted(known);
  const isReported =
    seen.echo !== 'mismatch' && (seen.movementId ?? known.movementIds[0]) === known.movementIds[0];
  // A create's answer with a wrong echo is not a mismatch yet: the next look-up shows what the bank has under our
  // originId.
  if (isDoubted || (seen.echo === 'mismatch' && isLookup))
    return { echo: { ...known, isMismatched: true }, isReported, isOurs: false };
  if (seen.echo === 'mismatch') return { echo: known, isReported, isOurs: false };
  // An incomplete answer does not clear an earlier mismatch.
  if (seen.echo === 'incomplete' && before.isMismatched) return { echo: known, isReported, isOurs: false };
  return { echo: { ...known, isMismatched: false }, isReported, isOurs: true };
}

/** After a decision about the mismatch, or an accepted `resend`, only later answers count. */
export const echoAfterDecision = (before: EchoState, decision: Decided): EchoState =>
  forgetsIds(decision) ? NO_ECHO : before;

/** Whether the decision discards the ids that were reported before it. */
export const forgetsIds = ({ outcome, action, flags }: Decided): boolean =>
  (outcome === 'accepted' && action === 'resend') ||
  (outcome === 'resumed' && flags.includes('ECHO_MISMATCH'));

type Decided = Pick<DecisionRecord, 'outcome' | 'action' | 'flags'>;

const withId = (ids: readonly string[], id: string | null): readonly string[] =>
  id === null || ids.includes(id) || ids.length >= MOVEMENT_IDS_MAX ? ids : [...ids, id];
