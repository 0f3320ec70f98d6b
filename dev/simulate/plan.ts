import type { DecisionAction } from '../../src/client';
import type { TransferOrder } from '../../src/domain/order';
import type { SandboxRule } from '../../src/sandbox-bank';
import { madeUpOrder } from '../made-up-order';
import { plannedRule } from './bank-plan';
import { plannedFault } from './faults';
import type { PlannedFault } from './faults';
import { drawsOf } from './random';
import type { Draws } from './random';

/** All that a simulation does, decided before it begins. */
export interface Plan {
  readonly seed: number;
  /**
   * `bank`: everything runs in real time at short cadences, judged by the bank's clock. `workflow`: at the cadences of
   * production, and the engine skips the waiting.
   */
  readonly clock: 'bank' | 'workflow';
  readonly transfers: readonly PlannedTransfer[];
  readonly faults: readonly PlannedFault[];
  /** Spans without sending, ms from the start. */
  readonly sendingStops: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The receiver is killed when the bank has made that many notifications. */
  readonly receiverKills: readonly number[];
}

export interface PlannedTransfer {
  readonly order: TransferOrder;
  /** From the start of the simulation. */
  readonly startMs: number;
  /** What the bank does with it; `story` says it in words. */
  readonly rule: SandboxRule;
  readonly story: string;
  /** The bank never says a final word, so that it is open at the end. */
  readonly neverEnds: boolean;
  /** The caller gives the order so many times at once. */
  readonly starts: number;
  readonly hintsMs: readonly number[];
  /** Forged notifications with its originId, from the receiver's point of view well signed. */
  readonly forgedMs: readonly number[];
  readonly cancelMs: number | null;
  /** The run is terminated and the caller gives the order again. */
  readonly terminateMs: number | null;
  readonly queriesEveryMs: number;
  /** What operators do when it is flagged; null: nothing. */
  readonly decision: { readonly action: DecisionAction; readonly isByTwo: boolean } | null;
}

export interface PlanOptions {
  readonly seed: number;
  readonly transfers: number;
  /** The first originId; the others follow. */
  readonly firstOriginId: number;
}

/** One seed in five runs in real time. */
const REAL_TIME_EVERY = 5;
const STARTS_WITHIN_MS = 10_000;

export function planOf({ seed, transfers, firstOriginId }: PlanOptions): Plan {
  const planned = Array.from({ length: transfers }, (_, i) => plannedTransfer(seed, i, firstOriginId + i));
  const draws = drawsOf(seed, 'system');
  const stopMs = draws.between(1_000, STARTS_WITHIN_MS);
  return {
    seed,
    clock: seed % REAL_TIME_EVERY === 0 ? 'bank' : 'workflow',
    transfers: planned,
    faults: planned.flatMap(
      ({ order }, i) => plannedFault(drawsOf(seed, `fault ${i}`), order.originId) ?? [],
    ),
    sendingStops: draws.chance(0.5) ? [{ fromMs: stopMs, toMs: stopMs + draws.between(1_000, 4_000) }] : [],
    receiverKills: [draws.between(3, 10), draws.between(11, 30)],
  };
}

function plannedTransfer(seed: number, index: number, originId: number): PlannedTransfer {
  // By its number, not its originId: the plan is the same wherever it runs.
  const draws = drawsOf(seed, `transfer ${index}`);
  const amount = `${draws.between(0, 99_999)}.${String(draws.between(1, 99)).padStart(2, '0')}`;
  const bank = plannedRule(draws, originId);
  return {
    order: madeUpOrder(originId, `Factura ${index}`, amount),
    startMs: draws.between(0, STARTS_WITHIN_MS),
    ...bank,
    starts: draws.chance(0.15) ? 3 : 1,
    hintsMs: moments(draws, 0.3),
    forgedMs: moments(draws, 0.15),
    cancelMs: draws.chance(0.12) ? draws.between(0, 3_000) : null,
    terminateMs: draws.chance(0.1) ? draws.between(500, 8_000) : null,
    queriesEveryMs: draws.between(700, 3_000),
    decision: draws.chance(0.6)
      ? {
          action: draws.weighted<DecisionAction>({
            ...{ resume: 4, 'accept-completed': 2, 'accept-failed': 2, 'accept-not-taken': 1, resend: 1 },
            withdraw: 1,
          }),
          isByTwo: draws.chance(0.8),
        }
      : null,
  };
}

/** After the transfer's start. */
const moments = (draws: Draws, share: number): number[] =>
  draws.chance(share)
    ? Array.from({ length: draws.between(1, 4) }, () => draws.between(0, 15_000)).sort((a, b) => a - b)
    : [];
