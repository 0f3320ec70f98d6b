import { z } from 'zod';
import { count } from './field-schemas';

/** When and how the bank notifies; the words are those of docs/sandbox-bank.md. */
const NOTIFY_MODES = ['once', 'lost', 'doubled', 'early', 'late', 'out-of-order', 'wrong-signature'] as const;
export type NotifyMode = (typeof NOTIFY_MODES)[number];

const NOTIFY_IDS = ['originId', 'movementId', 'networkId'] as const;

/** A rule's `notify` with its defaults filled in. */
export interface Notify {
  readonly mode: NotifyMode;
  readonly shape: 'envelope' | 'flat';
  readonly ids: readonly (typeof NOTIFY_IDS)[number][];
  /** Time from the change to its notification; null: the mode decides. */
  readonly delayMs: number | null;
}

export const DEFAULT_NOTIFY: Notify = { mode: 'once', shape: 'envelope', ids: NOTIFY_IDS, delayMs: null };

const DELAY_MAX_MS = 600_000;

export const notifySchema = z.preprocess(
  (input) => (typeof input === 'string' ? { mode: input } : input),
  z.strictObject({
    mode: z.enum(NOTIFY_MODES).default('once'),
    shape: z.enum(['envelope', 'flat']).default('envelope'),
    ids: z.array(z.enum(NOTIFY_IDS)).min(1).readonly().default(NOTIFY_IDS),
    delayMs: count(0, DELAY_MAX_MS).nullable().default(null),
  }),
);
