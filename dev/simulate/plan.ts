import type { DecisionAction } from '../../src/client';
import type { TransferOrder } from '../../src/domain/order';
import type { SandboxRule, VerificationRule } from '../../src/sandbox-bank';
import { madeUpOrder } from '../made-up-order';
import { plannedRule } from './bank-plan';
import { plannedFault } from './faults';
import type { BankCourse, PlannedFault } from './faults';
import { drawsOf } from './random';
import type { Draws } from './random';
import { plannedSystemFaults } from './system-faults';
import type { EngineStore, PlannedSystemFault } from './system-faults';

/** Everything that a simulation does, decided before it begins. */
export interface Plan {
  readonly seed: number;
  /**
   * `bank`: real time with short cadences; the auditor judges gaps by the bank's clock. `workflow`: the cadences of
   * production; the engine skips the waits, and the auditor judges gaps by workflow time.
   */
  readonly clock: 'bank' | 'workflow';
  readonly transfers: readonly PlannedTransfer[];
  readonly verifications: readonly PlannedVerification[];
  /** When a reconciliation begins, ms from the start. */
  readonly reconcileMs: number;
  readonly faults: readonly PlannedFault[];
  readonly systemFaults: readonly PlannedSystemFault[];
  readonly engineStore: EngineStore;
  /** How far each worker's clock is ahead of the machine's, ms; negative: behind. */
  readonly clocksAheadMs: readonly number[];
  /** Payloads and orders are encrypted. */
  readonly isEncrypted: boolean;
  /** Orders and decisions are signed, and workers refuse unsigned ones. */
  readonly isSigned: boolean;
  /** Spans in which the workers lack the key that sealed everything before, ms from the start. */
  readonly keyLosses: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Spans in which the emergency brake stops sending, ms from the start. */
  readonly sendingStops: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly receiverFaults: readonly PlannedReceiverFault[];
}

/** The receiver is struck when the bank's number of notifications reaches `at`. */
export interface PlannedReceiverFault {
  readonly at: number;
  /** For how long it is stopped (SIGSTOP); null: it is killed. */
  readonly stopMs: number | null;
}

export interface PlannedVerification {
  readonly requestId: string;
  readonly startMs: number;
  readonly rule: VerificationRule;
}

export interface PlannedTransfer {
  readonly order: TransferOrder;
  /** When the caller gives the order, from the start of the simulation. */
  readonly startMs: number;
  /** What the bank does with the order; `story` says the same in words. */
  readonly rule: SandboxRule;
  readonly story: string;
  /** The bank never reports a final status, so the transfer is still open at the end. */
  readonly neverEnds: boolean;
  readonly course: BankCourse;
  /** How many times the caller gives the order at once. */
  readonly starts: number;
  readonly hintsMs: readonly number[];
  /** When a forged notification with its originId arrives; the signature is valid for the receiver. */
  readonly forgedMs: readonly number[];
  readonly cancelMs: number | null;
  /** When the run is terminated, after which the caller gives the order again. */
  readonly terminateMs: number | null;
  /** When the run is reset, and to which workflow task: `at` is its place between the first (0) and the last (1). */
  readonly reset: { readonly ms: number; readonly at: number } | null;
  /** Time between two queries of the transfer; null: nobody queries it. */
  readonly queriesEveryMs: number | null;
  /** What operators decide when the transfer is flagged; null: nothing. */
  readonly decision: { readonly action: DecisionAction; readonly isByTwo: boolean } | null;
}

export interface PlanOptions {
  readonly seed: number;
  readonly transfers: number;
  /** The first originId; the others follow. */
  readonly firstOriginId: number;
  /** Default: `file`. */
  readonly engineStore?: EngineStore;
}

/** One seed in five runs in real time. */
const REAL_TIME_EVERY = 5;
/** One seed in four is encrypted; some of these also run in real time. */
const ENCRYPTED_EVERY = 4;
/** Two seeds in eight are signed; half of these are encrypted too. */
const SIGNED = { every: 8, remainders: [3, 6] } as const;
/** Orders come in waves, so that a long plan does not start them all at once. Each wave has faults of the system. */
const WAVE = { transfers: 40, everyMs: 60_000, startsWithinMs: 20_000 } as const;
const WORKERS = 2;
const CLOCK_OFF_MAX_MS = 600_000;

export function planOf({ seed, transfers, firstOriginId, engineStore = 'file' }: PlanOptions): Plan {
  const planned = Array.from({ length: transfers }, (_, i) => plannedTransfer(seed, i, firstOriginId + i));
  const draws = drawsOf(seed, 'system');
  const areClocksOff = draws.chance(0.5);
  const isEncrypted = seed % ENCRYPTED_EVERY === 2;
  const lossMs = draws.between(3_000, WAVE.everyMs);
  const waves = Array.from({ length: Math.ceil(transfers / WAVE.transfers) }, (_, i) =>
    plannedWave(seed, i, engineStore),
  );
  return {
    seed,
    clock: seed % REAL_TIME_EVERY === 0 ? 'bank' : 'workflow',
    transfers: planned,
    verifications: waves.flatMap((_, i) => plannedVerifications(seed, i, firstOriginId)),
    reconcileMs: draws.between(5_000, waves.length * WAVE.everyMs),
    faults: planned.flatMap(
      ({ order, course, decision, cancelMs }, i) =>
        plannedFault(drawsOf(seed, `fault ${i}`), order.originId, {
          ...course,
          isDecided: course.isFlagged && decision !== null,
          isCancelled: cancelMs !== null,
        }) ?? [],
    ),
    systemFaults: waves.flatMap((it) => it.systemFaults),
    engineStore,
    clocksAheadMs: Array.from({ length: WORKERS }, () =>
      areClocksOff ? draws.between(-CLOCK_OFF_MAX_MS, CLOCK_OFF_MAX_MS) : 0,
    ),
    isEncrypted,
    isSigned: SIGNED.remainders.some((it) => seed % SIGNED.every === it),
    keyLosses: isEncrypted ? [{ fromMs: lossMs, toMs: lossMs + draws.between(3_000, 10_000) }] : [],
    sendingStops: waves.flatMap((it) => it.sendingStops),
    receiverFaults: waves.flatMap((it) => it.receiverFaults),
  };
}

function plannedWave(seed: number, index: number, store: EngineStore) {
  const draws = drawsOf(seed, `wave ${index}`);
  const fromMs = index * WAVE.everyMs;
  const stopMs = fromMs + draws.between(1_000, WAVE.startsWithinMs);
  const notified = index * WAVE.transfers;
  return {
    sendingStops: draws.chance(0.5) ? [{ fromMs: stopMs, toMs: stopMs + draws.between(1_000, 4_000) }] : [],
    receiverFaults: [
      { at: notified + draws.between(3, 10), stopMs: null },
      {
        at: notified + draws.between(11, 30),
        stopMs: draws.chance(0.5) ? draws.between(1_000, RECEIVER_STOPS_MAX_MS) : null,
      },
    ],
    systemFaults: plannedSystemFaults(draws, { fromMs, spanMs: WAVE.everyMs, store }),
  };
}

/** Longer than a sender of notifications waits. */
const RECEIVER_STOPS_MAX_MS = 40_000;

const VERIFICATIONS_A_WAVE = 3;

const plannedVerifications = (seed: number, wave: number, firstOriginId: number): PlannedVerification[] =>
  Array.from({ length: VERIFICATIONS_A_WAVE }, (_, i) => {
    const draws = drawsOf(seed, `verification ${wave} ${i}`);
    // Contains the first originId, because plays share an engine and ids must not repeat.
    const requestId = `simulated-${firstOriginId}-${wave}-${i}`;
    const waiting = Array<string>(draws.between(0, 4)).fill('Pendiente');
    return {
      requestId,
      startMs: wave * WAVE.everyMs + draws.between(0, WAVE.startsWithinMs),
      rule: {
        ...{ kind: 'verification', match: { requestId } },
        statuses: [...waiting, draws.chance(0.7) ? 'Aprobado' : 'Rechazado'],
        query: draws.pick([['ok'], ['http-500', 'reset'], ['ok', 'timeout-before'], ['malformed:html']]),
      },
    };
  });

function plannedTransfer(seed: number, index: number, originId: number): PlannedTransfer {
  // Draws by the transfer's number, not by its originId, so that every play of a seed has the same plan.
  const draws = drawsOf(seed, `transfer ${index}`);
  const amount = `${draws.between(0, 99_999)}.${String(draws.between(1, 99)).padStart(2, '0')}`;
  const bank = plannedRule(draws, originId);
  return {
    order: madeUpOrder(originId, `Factura ${index}`, amount),
    startMs: Math.floor(index / WAVE.transfers) * WAVE.everyMs + draws.between(0, WAVE.startsWithinMs),
    ...bank,
    starts: draws.chance(0.15) ? 3 : 1,
    hintsMs: moments(draws, 0.3),
    forgedMs: moments(draws, 0.15),
    cancelMs: draws.chance(0.12) ? draws.between(0, 3_000) : null,
    terminateMs: draws.chance(0.1) ? draws.between(500, 8_000) : null,
    reset: draws.chance(0.1) ? { ms: draws.between(500, 20_000), at: draws.between(0, 99) / 100 } : null,
    queriesEveryMs: draws.chance(0.3) ? draws.between(700, 3_000) : null,
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

/** One to four times, in ms after the transfer's start, for this share of the transfers. */
const moments = (draws: Draws, share: number): number[] =>
  draws.chance(share)
    ? Array.from({ length: draws.between(1, 4) }, () => draws.between(0, 15_000)).sort((a, b) => a - b)
    : [];
