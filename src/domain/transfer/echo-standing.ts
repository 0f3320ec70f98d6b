import type { SeenMovement } from './answers';
import type { DecisionRecord } from './decisions/decision';
import type { RequestKind } from './records';

/**
 * Whether the bank's answers speak of one movement, and of ours (contract 4.4). The run and the journal's lines are
 * judged by the same three functions, so that they cannot disagree.
 */
export interface EchoStanding {
  /** Distinct ids in answers to our requests, whatever their echo, since operators last looked at a mismatch. */
  readonly movementIds: readonly string[];
  /** A look-up reported another originId. */
  readonly isOtherOrigin: boolean;
  /** A mismatch stands: held until an answer matches, or by a doubt of identity until operators decide. */
  readonly isMismatched: boolean;
}

export const NOTHING_STANDS: EchoStanding = { movementIds: [], isOtherOrigin: false, isMismatched: false };

/** Two are a doubt; more change nothing. */
const MOVEMENT_IDS_MAX = 4;

/** Two movements, or another transfer's: no later answer can tell which one is ours. */
export const isIdentityDoubted = ({ movementIds, isOtherOrigin }: EchoStanding): boolean =>
  isOtherOrigin || movementIds.length > 1;

export interface JudgedEcho {
  readonly standing: EchoStanding;
  /** The answer reports the movement that we take for ours: its status and ids are shown. */
  readonly isReported: boolean;
  /** Nothing is in doubt: a final status of it may end the transfer. */
  readonly isOurs: boolean;
}

export function standingAfter(
  before: EchoStanding,
  seen: Pick<SeenMovement, 'movementId' | 'echo' | 'echoFields'>,
  by: Exclude<RequestKind, 'withdrawal'>,
): JudgedEcho {
  const isLookup = by === 'lookup';
  // In an answer that is incomplete the field says that the originId is absent.
  const isOther = isLookup && seen.echo === 'mismatch' && seen.echoFields.includes('originId');
  const known = {
    movementIds: withId(before.movementIds, seen.movementId),
    isOtherOrigin: before.isOtherOrigin || isOther,
    isMismatched: before.isMismatched,
  };
  const isDoubted = isIdentityDoubted(known);
  const isReported =
    seen.echo !== 'mismatch' && (seen.movementId ?? known.movementIds[0]) === known.movementIds[0];
  // A create that is answered wrongly is looked up first: the look-up shows what the bank has under our originId.
  if (isDoubted || (seen.echo === 'mismatch' && isLookup))
    return { standing: { ...known, isMismatched: true }, isReported, isOurs: false };
  if (seen.echo === 'mismatch') return { standing: known, isReported, isOurs: false };
  // An answer that lacks fields takes nothing back of what a wrong one said.
  if (seen.echo === 'incomplete' && before.isMismatched)
    return { standing: known, isReported, isOurs: false };
  return { standing: { ...known, isMismatched: false }, isReported, isOurs: true };
}

/** What operators have looked at, or had sent again, is over: what the bank says from here on counts. */
export const standingAfterDecision = (before: EchoStanding, decision: Decided): EchoStanding =>
  forgetsIds(decision) ? NOTHING_STANDS : before;

/** From here on reported ids count anew. */
export const forgetsIds = ({ outcome, action, flags }: Decided): boolean =>
  (outcome === 'accepted' && action === 'resend') ||
  (outcome === 'resumed' && flags.includes('ECHO_MISMATCH'));

type Decided = Pick<DecisionRecord, 'outcome' | 'action' | 'flags'>;

const withId = (ids: readonly string[], id: string | null): readonly string[] =>
  id === null || ids.includes(id) || ids.length >= MOVEMENT_IDS_MAX ? ids : [...ids, id];
