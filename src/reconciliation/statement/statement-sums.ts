import { PESO, formatAmount } from '../../domain/money';
import type { Tally } from '../report';
import type { ReadLine } from './line-reader';
import type { BadLine } from './statement-problem';

/** Further bad lines are only counted: with a wrong mapping every line is bad. */
const BAD_LINES_NAMED_MAX = 100;

export interface StatementSummary {
  /** SHA-256 of the file's bytes, hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly bookings: number;
  readonly ignored: number;
  readonly debits: Tally;
  readonly credits: Tally;
  readonly badLines: number;
  readonly firstBadLines: readonly BadLine[];
  /** First and last booking, ISO UTC; null: no bookings. */
  readonly period: { readonly from: string; readonly to: string } | null;
  /** The accounts whose bookings the file holds, by `accountMark`; null: unknown. */
  readonly accounts: readonly string[] | null;
}

/** More accounts than a company has: the mapping names the wrong column. */
const ACCOUNTS_MAX = 10_000;

/** Running sums; no line is kept. */
export class StatementSums {
  readonly #sums = { debit: { count: 0, minor: 0n }, credit: { count: 0, minor: 0n } };
  readonly #firstBad: BadLine[] = [];
  #bad = 0;
  #ignored = 0;
  #from: string | null = null;
  #to: string | null = null;
  readonly #seen = new Set<string>();

  /** `accounts`: all accounts of the statement, by `accountMark`; null: those that its lines name. */
  constructor(private readonly accounts: readonly string[] | null = null) {}

  enter(one: ReadLine, line: number): void {
    switch (one.kind) {
      case 'ignored':
        this.#ignored += 1;
        return;
      case 'bad':
        this.#bad += 1;
        if (this.#firstBad.length < BAD_LINES_NAMED_MAX) this.#firstBad.push({ line, rule: one.rule });
        return;
      case 'booking': {
        const { direction, amount, bookedAt, account } = one.booking;
        if (account !== null && this.#seen.size < ACCOUNTS_MAX) this.#seen.add(account);
        const sum = this.#sums[direction];
        sum.count += 1;
        if (amount.currency === PESO) sum.minor += BigInt(amount.value.replace('.', ''));
        // ISO times of one form sort like their texts.
        if (this.#from === null || bookedAt < this.#from) this.#from = bookedAt;
        if (this.#to === null || bookedAt > this.#to) this.#to = bookedAt;
      }
    }
  }

  summary(sha256: string, bytes: number): StatementSummary {
    const tally = ({ count, minor }: { count: number; minor: bigint }): Tally => ({
      count,
      amount: formatAmount(minor),
    });
    const { debit, credit } = this.#sums;
    return {
      sha256,
      bytes,
      bookings: debit.count + credit.count,
      ignored: this.#ignored,
      debits: tally(debit),
      credits: tally(credit),
      badLines: this.#bad,
      firstBadLines: this.#firstBad,
      period: this.#from === null || this.#to === null ? null : { from: this.#from, to: this.#to },
      accounts: this.accounts ?? (this.#seen.size === 0 ? null : [...this.#seen].sort()),
    };
  }
}
