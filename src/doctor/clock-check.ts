import { JournalNotReady, JournalUnavailable } from '../journal/errors';
import { well, wrong } from './check-result';
import type { Check } from './check-result';

/** Signatures and tokens contain times. Banks allow for some minutes of difference, seldom for less than one. */
const SKEW_MAX_MS = 30_000;

export interface OtherClocks {
  /** ms since the epoch. */
  readonly journal: () => Promise<number>;
  /** The bank's `Date` header and when it was read; null: the bank sent none. */
  readonly bank: () => { readonly theirsMs: number; readonly oursMs: number } | null;
}

/** Compares our clock with PostgreSQL's and the bank's. Temporal does not report its clock. */
export const clockCheck = (clocks: OtherClocks): Check => ({
  name: 'clock',
  async run() {
    const skews: [string, number][] = [];
    try {
      const beforeMs = Date.now();
      const theirsMs = await clocks.journal();
      skews.push(['PostgreSQL', theirsMs - (beforeMs + Date.now()) / 2]);
    } catch (error) {
      if (!(error instanceof JournalUnavailable || error instanceof JournalNotReady)) throw error;
    }
    const bank = clocks.bank();
    if (bank !== null) skews.push(['the bank', bank.theirsMs - bank.oursMs]);
    if (skews.length === 0) return wrong('no other clock could be read', 'fix journal and bank first');
    const listed = skews.map(
      ([who, ms]) => `${who} ${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1000).toFixed(1)} s`,
    );
    return skews.some(([, ms]) => Math.abs(ms) > SKEW_MAX_MS)
      ? wrong(`clocks differ: ${listed.join(', ')} to ours`, 'synchronise the clocks (NTP)')
      : well(`${listed.join(', ')} to ours`);
  },
});
