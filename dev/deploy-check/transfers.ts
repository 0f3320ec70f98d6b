import { madeUpOrder } from '../made-up-order';
import { until } from '../giro-environment';
import type { Project } from './compose';

/** How a transfer must stand at the end; `open`: it never ends by itself, or not in the time of a check. */
type End = 'COMPLETED' | 'FAILED' | 'REFUSED' | 'open';

interface Kind {
  /** A scenario of the sandbox bank (docs/sandbox-bank.md). */
  readonly description: string;
  readonly end: End;
}

const kind = (name: string, end: End = 'COMPLETED'): Kind => ({ description: `sandbox:${name}`, end });

const SHORT_KINDS: readonly Kind[] = [
  { description: 'ordinary', end: 'COMPLETED' },
  kind('completed'),
  kind('failed', 'FAILED'),
  kind('lost-answer'),
  kind('not-found'),
  kind('delayed', 'open'),
];

/** Twenty, of all that the sandbox bank can do to a transfer within minutes. */
const ALL_KINDS: readonly Kind[] = [
  ...SHORT_KINDS,
  kind('failed', 'FAILED'),
  kind('refused', 'REFUSED'),
  kind('timeout-after'),
  kind('reset'),
  kind('unavailable'),
  kind('error-but-taken'),
  kind('garbled'),
  kind('slow'),
  kind('duplicate-error'),
  kind('flaky'),
  kind('unknown-status'),
  kind('wrong-echo'),
  kind('no-details', 'open'),
  kind('single-owner'),
];

const FIRST_ID = 7_001;
/** A refusal and a create without an answer are confirmed by twelve look-ups, 5 s apart, and outages come on top. */
const DEADLINE_MS = 360_000;

export interface Batch {
  readonly size: number;
  /** One that is shown through the gateway. */
  readonly originId: number;
  start(): Promise<string>;
  /** Waits until each stands as its kind says. */
  finish(): Promise<string>;
  /** Compares bank, journal and annulments. */
  compareBooks(): Promise<string>;
}

interface Listed {
  readonly originId: number;
  readonly status: string | null;
}
interface BankMovement {
  readonly originId: number | string;
}

export function batchOf(project: Project, short: boolean): Batch {
  const orders = (short ? SHORT_KINDS : ALL_KINDS).map(({ description, end }, index) => ({
    end,
    order: madeUpOrder(FIRST_ID + index, description),
  }));
  const idsOf = (end: End) => orders.filter((one) => one.end === end).map(({ order }) => order.originId);
  const ended = orders.filter(({ end }) => end !== 'open');
  return {
    ...{ size: orders.length, originId: FIRST_ID },
    start: async () => {
      const input = orders.map(({ order }) => JSON.stringify(order)).join('\n');
      const started = JSON.parse(
        await project.giro(['transfer', 'start', '-', '--json'], input),
      ) as readonly unknown[];
      if (started.length !== orders.length) throw new Error(`${started.length} of ${orders.length} started`);
      return `${started.length} transfers`;
    },
    finish: async () => {
      const differences = await until(
        async () => {
          const listed = JSON.parse(await project.giro(['transfer', 'list', '--json'])) as readonly Listed[];
          const statuses = new Map(listed.map(({ originId, status }) => [originId, status]));
          return orders.flatMap(({ order, end }) => {
            const status = statuses.get(order.originId);
            const as = status ?? 'open';
            return as === end ? [] : [`${order.originId} (${order.body.description}) is ${as}, not ${end}`];
          });
        },
        (found) => found.length === 0,
        DEADLINE_MS,
      );
      return `${ended.length - differences.length} ended, ${orders.length - ended.length} open as they should`;
    },
    compareBooks: async () => {
      const movements = await bankMovements(project);
      const taken = movements.map(({ originId }) => Number(originId)).sort();
      const expected = orders
        .filter(({ end }) => end !== 'REFUSED')
        .map(({ order }) => order.originId)
        .sort();
      if (JSON.stringify(taken) !== JSON.stringify(expected))
        throw new Error(`the bank has movements of ${taken.join()}, not of ${expected.join()}`);
      const annulments = JSON.parse(await project.giro(['annulment', 'list', '--json'])) as readonly Listed[];
      const annulled = annulments.map(({ originId }) => originId).sort();
      if (JSON.stringify(annulled) !== JSON.stringify(idsOf('FAILED')))
        throw new Error(`annulled are ${annulled.join()}, not ${idsOf('FAILED').join()}`);
      return `${taken.length} movements for ${orders.length} orders, ${annulled.length} annulments`;
    },
  };
}

/** The bank's own book, read from inside the network by its token. */
async function bankMovements(project: Project): Promise<readonly BankMovement[]> {
  const [bank = ''] = await project.containers('sandbox-bank');
  const script = `
    const { readFileSync } = require('node:fs');
    const token = readFileSync('/run/secrets/bank-token', 'utf8').trim();
    const options = { ca: readFileSync('/bank/ca.pem'), headers: { authorization: token } };
    require('node:https').get('https://localhost:8443/sandbox/movements', options, (answer) => answer.pipe(process.stdout));
  `;
  const answer = JSON.parse(await project.exec(bank, ['node', '-e', script])) as unknown;
  return (Array.isArray(answer) ? answer : (answer as { movements: unknown }).movements) as BankMovement[];
}
