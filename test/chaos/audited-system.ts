import { randomUUID } from 'node:crypto';
import { tokenAccess } from '../../dev/bank-access';
import { BANK_TOKEN, startGiroEnvironment, until } from '../../dev/giro-environment';
import type { GiroEnvironment } from '../../dev/giro-environment';
import type { Scope } from '../../dev/scope';
import { collectBooks } from '../../dev/simulate/collect';
import { bundleOf } from '../../dev/simulate/system';
import { startWorkerProcess } from '../../dev/worker-process';
import type { WorkerProcess, WorkerProcessOptions } from '../../dev/worker-process';
import type { TransferOrder } from '../../src/domain/order';
import type { SandboxRule } from '../../src/sandbox-bank';
import { nextOriginId, orderOf } from '../e2e/environment';
import { quietRuntime } from '../support/quiet-runtime';
import { audit } from './auditor/audit';
import { BOUNDS } from './auditor/books';
import type { Violation } from './auditor/books';

/** Everything runs in real time: gaps are judged by the bank's clock. */
const POLL_ACTIVE_MS = 1_000;
const POLL_DELAYED_MS = 3_000;
const STARTED_WITHIN_MS = 120_000;
export const CREATE_TIMEOUT_MS = 8_000;
export const OPERATORS = ['ana', 'luis'] as const;

/**
 * Giro with workers in separate processes and a bank, on servers that a test may break. The auditor checks the books.
 */
export interface AuditedSystem {
  readonly env: GiroEnvironment;
  readonly databaseUrl: string;
  readonly taskQueue: string;
  startWorker(other?: Partial<WorkerProcessOptions>): Promise<WorkerProcess>;
  /**
   * Starts `count` orders at once, and repeats while Temporal is unreachable. The description selects the bank's rule.
   */
  order(description: string, count: number): Promise<readonly number[]>;
  /** All broken promises that the books show. `workflowBundlePath`: the code that must replay the histories. */
  violations(workflowBundlePath?: string): Promise<readonly Violation[]>;
}

export async function startAuditedSystem(
  scope: Scope,
  options: {
    readonly temporalAddress: string;
    /** A migrated journal. */
    readonly databaseUrl: string;
    /** The bank's rules, by description. */
    readonly rules: Readonly<Record<string, SandboxRule>>;
    /** Default: a second. */
    readonly pollActiveMs?: number;
  },
): Promise<AuditedSystem> {
  quietRuntime({ core: 'ERROR' });
  const { temporalAddress, databaseUrl, rules, pollActiveMs = POLL_ACTIVE_MS } = options;
  const taskQueue = `giro-audited-${randomUUID()}`;
  const env = scope.own(
    await startGiroEnvironment({
      ...{ temporalAddress, databaseUrl, taskQueue, workflowBundlePath: bundleOf(null) },
      rules: Object.entries(rules).map(([description, rule]) => ({ ...rule, match: { description } })),
    }),
    (it) => it.close(),
  );
  const given: { readonly order: TransferOrder; readonly rule: SandboxRule }[] = [];
  return {
    ...{ env, databaseUrl, taskQueue },
    startWorker: async (other = {}) => {
      const worker = await startWorkerProcess({
        ...{ temporalAddress, databaseUrl, taskQueue, access: tokenAccess(env.bank, BANK_TOKEN) },
        ...other,
        env: {
          ...{ POLL_ACTIVE: `${pollActiveMs}ms`, POLL_DELAYED: `${POLL_DELAYED_MS}ms` },
          ...{ BANK_TIMEOUT_CREATE: `${CREATE_TIMEOUT_MS}ms`, BANK_TIMEOUT: '4s', BANK_MAX_RPS: '0' },
          DECIDERS: OPERATORS.join(','),
          ...other.env,
        },
      });
      return scope.own(worker, async (it) => {
        await it.stop();
      });
    },
    order: (description, count) => {
      const rule = rules[description];
      if (rule === undefined) throw new Error(`no rule is called ${description}`);
      const orders = Array.from({ length: count }, () => orderOf(nextOriginId(), description));
      given.push(...orders.map((order) => ({ order, rule })));
      return Promise.all(
        orders.map(async (order) => {
          await until(
            () => env.giro.startTransfer(order),
            () => true,
            STARTED_WITHIN_MS,
          );
          return order.originId;
        }),
      );
    },
    violations: async (workflowBundlePath = bundleOf(null)) => {
      const books = await collectBooks({ env, databaseUrl, keys: null, workflowBundlePath }, given, {
        ...{ cancels: [], verifications: [], reconciliation: null },
        terms: {
          ...{ pollActiveMs, pollDelayedMs: POLL_DELAYED_MS, clock: 'bank' },
          ...{ standstills: [], losses: [], takenAt: new Date().toISOString() },
          ...BOUNDS,
          isSigned: false,
        },
      });
      return audit(books);
    },
  };
}
