import { sameDecimal } from '../../domain/money';
import type { Money, StatementLine } from '../books';
import { accountMark } from './line-reader';

/** A transfer that no line of the statement names. */
export interface Candidate {
  readonly originId: number;
  readonly amount: Money;
  readonly from: string;
  readonly to: string;
  readonly openedAt: string;
}

const SUGGESTIONS_MAX = 5;
const DAY_MS = 86_400_000;
/** A statement may have only the day, read as midnight; a booking may wait for the next working day. */
const BOOKED_BEFORE_ORDER_MS = DAY_MS;
const BOOKED_AFTER_ORDER_MS = 4 * DAY_MS;

/** When a transfer must have been opened to be suggested for a line booked at `bookedAt`; ISO UTC. */
export function suggestionWindow(bookedAt: string): { readonly from: string; readonly to: string } {
  const booked = Date.parse(bookedAt);
  return {
    from: new Date(booked - BOOKED_AFTER_ORDER_MS).toISOString(),
    to: new Date(booked + BOOKED_BEFORE_ORDER_MS).toISOString(),
  };
}

/**
 * Transfers that a debit without a known id may belong to: the same amount, not another account, ordered at about that
 * time. At most five, the nearest in time first. Suggestions for a person; Giro matches nothing by them.
 */
export function suggestFor(line: StatementLine, candidates: readonly Candidate[]): number[] {
  const { from, to } = suggestionWindow(line.bookedAt);
  const distanceMs = ({ openedAt }: Candidate): number =>
    Math.abs(Date.parse(line.bookedAt) - Date.parse(openedAt));
  return candidates
    .filter(
      (one) =>
        one.amount.currency === line.amount.currency &&
        sameDecimal(one.amount.value, line.amount.value) &&
        (line.counterpartyAccount === null || line.counterpartyAccount === one.to) &&
        (line.account === null || line.account === accountMark(one.from)) &&
        Date.parse(one.openedAt) >= Date.parse(from) &&
        Date.parse(one.openedAt) <= Date.parse(to),
    )
    .sort((a, b) => distanceMs(a) - distanceMs(b) || a.originId - b.originId)
    .slice(0, SUGGESTIONS_MAX)
    .map(({ originId }) => originId);
}
