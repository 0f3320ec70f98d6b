import type { TransferOrder } from '../../src/domain/order';
import { madeUpOrder } from '../made-up-order';
import type { TransferResultStatus } from '../../src/domain/transfer/result';
import type { SandboxRule } from '../../src/sandbox-bank';

/** A scenario of the demo, and how its transfer must end; `held`: it stays open with a flag. */
export interface Scenario {
  readonly name: string;
  readonly originId: number;
  /** Selects the bank's rule; made up, like every order of the demo. */
  readonly description: string;
  readonly amount: string;
  readonly expected: TransferResultStatus | 'held';
  /** The server skips its timers: the cadence is the real one in the workflow's time. */
  readonly skipsTime: boolean;
  /** Movements that the bank must have: none for a withdrawn or refused order. */
  readonly bankMovements: 0 | 1;
  /** Creates that the bank must have received, all with the same bytes. */
  readonly creates: 0 | 1 | 2;
}

/** Twenty orders in one file. */
const BATCH_SIZE = 20;
export const BATCH_NAME = 'twenty at once, from a file';

const scenario = (
  originId: number,
  name: string,
  description: string,
  expected: Scenario['expected'],
  rest: Partial<Scenario> = {},
): Scenario => ({
  name,
  originId,
  description,
  amount: `${originId}.25`,
  expected,
  skipsTime: false,
  bankMovements: expected === 'WITHDRAWN' || expected === 'REFUSED' ? 0 : 1,
  creates: expected === 'WITHDRAWN' ? 0 : 1,
  ...rest,
});

export const SCENARIOS = {
  atOnce: scenario(1001, 'completed at once', 'demo: at once', 'COMPLETED'),
  polled: scenario(1002, 'CREATED → IN_PROGRESS → COMPLETED, 5 s apart', 'demo: polled', 'COMPLETED'),
  failed: scenario(1003, 'FAILED, with its annulment', 'demo: failed', 'FAILED'),
  delayed: scenario(
    1004,
    'DELAYED, asked more than 10 min apart (time skipped)',
    'demo: delayed',
    'COMPLETED',
    {
      skipsTime: true,
    },
  ),
  hinted: scenario(
    1005,
    'held by a wrong echo; a hint brings the next look-up forward',
    'demo: hinted',
    'COMPLETED',
  ),
  twice: scenario(1006, 'the same order started twice', 'demo: twice', 'COMPLETED'),
  withdrawn: scenario(1007, 'cancelled before it was sent', 'demo: withdrawn', 'WITHDRAWN'),
  lostAnswer: scenario(
    1008,
    'the answer of create is lost: looked up, not sent again',
    'demo: lost',
    'COMPLETED',
  ),
  refused: scenario(1009, 'refused; 12 look-ups confirm it (time skipped)', 'demo: refused', 'REFUSED', {
    skipsTime: true,
  }),
  held: scenario(
    1010,
    'the bank answers with another amount: held for a person',
    'demo: other amount',
    'held',
  ),
  killed: scenario(
    1011,
    'the worker is killed in the middle, another one continues',
    'demo: killed',
    'COMPLETED',
  ),
  timedOut: scenario(
    1012,
    'timed out before the bank took it: 12 look-ups, then sent again (time skipped)',
    'demo: timed out',
    'COMPLETED',
    { skipsTime: true, creates: 2 },
  ),
  unavailable: scenario(
    1013,
    '503, then fine: 12 look-ups, then sent again (time skipped)',
    'demo: unavailable',
    'COMPLETED',
    { skipsTime: true, creates: 2 },
  ),
  decided: scenario(
    1014,
    'FAILED with another amount: held, two operators decide, annulled',
    'demo: decided',
    'FAILED',
  ),
} as const;

export const BATCH: readonly Scenario[] = Array.from({ length: BATCH_SIZE }, (_, i) =>
  scenario(2001 + i, `${BATCH_NAME} (${i + 1}/${BATCH_SIZE})`, 'demo: batch', 'COMPLETED'),
);

const described = (shown: Scenario, rule: Omit<SandboxRule, 'match'>): SandboxRule => ({
  name: shown.name,
  match: { description: shown.description },
  ...rule,
});

/** The sandbox bank's rules for the scenarios; without a rule: CREATED, IN_PROGRESS, COMPLETED. */
export const RULES: readonly SandboxRule[] = [
  described(SCENARIOS.atOnce, { states: ['COMPLETED'] }),
  described(SCENARIOS.failed, { states: ['CREATED', 'FAILED'] }),
  described(SCENARIOS.delayed, { states: ['CREATED', 'DELAYED', 'DELAYED', 'COMPLETED'] }),
  described(SCENARIOS.hinted, {
    states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'],
    echo: [{ set: { 'details.amount': 1 }, from: 2, until: 2 }],
  }),
  described(SCENARIOS.lostAnswer, { create: ['lost-answer'] }),
  described(SCENARIOS.refused, { create: ['http-422'] }),
  described(SCENARIOS.held, { states: ['CREATED', 'COMPLETED'], echo: [{ set: { 'details.amount': 1 } }] }),
  described(SCENARIOS.decided, { states: ['CREATED', 'FAILED'], echo: [{ set: { 'details.amount': 1 } }] }),
  described(SCENARIOS.killed, { states: ['CREATED', 'IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED'] }),
  // The bank ends the connection long before Giro's time-out. The outcome is unknown in either case, and the demo stays
  // short.
  described(SCENARIOS.timedOut, { create: [{ fault: 'timeout-before', holdMs: 1_500 }] }),
  described(SCENARIOS.unavailable, { create: ['http-503'] }),
];

export const orderOf = ({ originId, description, amount }: Scenario): TransferOrder =>
  madeUpOrder(originId, description, amount);
