import { madeUpOrder } from '../made-up-order';
import { until } from '../giro-environment';
import type { Project } from './compose';

/** The state that a transfer must have at the end; `open`: it does not end by itself, or not during the check. */
type End = 'COMPLETED' | 'FAILED' | 'REFUSED' | 'open';

interface Kind {
  /** A scenario of the sandbox bank (docs/sandbox-bank.md). */
  readonly description: string;
  readonly end: End;
  /** Creates that the bank receives: two only if it did not take the first. */
  readonly creates: 1 | 2;
  /** For an open transfer: its state, and why it needs people. */
  readonly stands?: { readonly phase: string; readonly attentionReasons: readonly string[] };
}

const kind = (name: string, end: End = 'COMPLETED', more: Partial<Kind> = {}): Kind => ({
  ...{ description: `sandbox:${name}`, end, creates: 1 },
  ...more,
});
const stands = (phase: string, ...attentionReasons: readonly string[]): Partial<Kind> => ({
  stands: { phase, attentionReasons },
});

const SHORT_KINDS: readonly Kind[] = [
  { description: 'ordinary', end: 'COMPLETED', creates: 1 },
  kind('completed'),
  kind('failed', 'FAILED'),
  kind('lost-answer'),
  kind('not-found'),
  kind('delayed', 'open', stands('polling')),
];

/** Twenty transfers, with everything that the sandbox bank can do to one. Held transfers stay open. */
const ALL_KINDS: readonly Kind[] = [
  ...SHORT_KINDS,
  kind('failed', 'FAILED'),
  kind('refused', 'REFUSED'),
  kind('timeout-after'),
  kind('reset', 'COMPLETED', { creates: 2 }),
  kind('unavailable', 'COMPLETED', { creates: 2 }),
  kind('error-but-taken'),
  kind('garbled'),
  kind('slow'),
  kind('duplicate-error'),
  kind('flaky'),
  kind('unknown-status'),
  kind('wrong-echo', 'open', stands('held', 'ECHO_MISMATCH')),
  kind('no-details', 'open', stands('held', 'ECHO_INCOMPLETE')),
  kind('single-owner'),
];

const FIRST_ID = 7_001;
/** A refusal, or a create without an answer, takes twelve look-ups, 5 s apart; outages add to that. */
const DEADLINE_MS = 360_000;

export interface Batch {
  readonly size: number;
  /** A transfer to decode through the gateway. */
  readonly originId: number;
  start(): Promise<string>;
  /** Waits until each transfer has the state of its kind. */
  finish(): Promise<string>;
  /** Compares bank, journal and annulments. */
  compareBooks(): Promise<string>;
}

export interface Listed {
  readonly originId: number;
  readonly status: string | null;
  readonly phase: string;
  readonly attentionReasons: readonly string[];
}
interface BankMovement {
  readonly originId: number | string;
}
interface BankRequest {
  readonly originId: number | string | null;
  readonly service: string;
}

export interface Expected extends Kind {
  readonly originId: number;
}

/**
 * The differences between the listed and the expected transfers, one line for each. A missing transfer is a difference.
 */
export function differencesOf(expected: readonly Expected[], listed: readonly Listed[]): readonly string[] {
  const found = new Map(listed.map((one) => [one.originId, one]));
  return expected.flatMap(({ originId, description, end, stands: wanted }) => {
    const one = found.get(originId);
    const is = one === undefined ? 'missing' : standing(one, wanted !== undefined);
    const should = wanted === undefined ? end : `open, ${wanted.phase}, [${wanted.attentionReasons.join()}]`;
    return is === should ? [] : [`${originId} (${description}) is ${is}, not ${should}`];
  });
}

function standing({ status, phase, attentionReasons }: Listed, whole: boolean): string {
  if (status !== null) return status;
  return whole ? `open, ${phase}, [${attentionReasons.join()}]` : 'open';
}

/** The orders for which the bank received a wrong number of creates. */
export function createsThatDiffer(
  expected: readonly Expected[],
  requests: readonly BankRequest[],
): readonly string[] {
  return expected.flatMap(({ originId, description, creates }) => {
    const { length } = requests.filter(
      (one) => one.service === 'transfer-request' && Number(one.originId) === originId,
    );
    return length === creates ? [] : [`${originId} (${description}) had ${length} creates, not ${creates}`];
  });
}

export function batchOf(project: Project, short: boolean): Batch {
  const orders = (short ? SHORT_KINDS : ALL_KINDS).map((one, index) => ({
    ...one,
    originId: FIRST_ID + index,
    order: madeUpOrder(FIRST_ID + index, one.description),
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
          return differencesOf(orders, listed);
        },
        (found) => found.length === 0,
        DEADLINE_MS,
      );
      return `${ended.length - differences.length} ended, ${orders.length - ended.length} open as they should`;
    },
    compareBooks: async () => {
      const movements = (await bankBook(project, 'movements')) as readonly BankMovement[];
      const taken = movements.map(({ originId }) => Number(originId)).sort();
      const expected = orders
        .filter(({ end }) => end !== 'REFUSED')
        .map(({ order }) => order.originId)
        .sort();
      if (JSON.stringify(taken) !== JSON.stringify(expected))
        throw new Error(`the bank has movements of ${taken.join()}, not of ${expected.join()}`);
      const requests = (await bankBook(project, 'requests')) as readonly BankRequest[];
      const sent = createsThatDiffer(orders, requests);
      if (sent.length > 0) throw new Error(sent.join('\n'));
      const annulments = JSON.parse(await project.giro(['annulment', 'list', '--json'])) as readonly Listed[];
      const annulled = annulments.map(({ originId }) => originId).sort();
      if (JSON.stringify(annulled) !== JSON.stringify(idsOf('FAILED')))
        throw new Error(`annulled are ${annulled.join()}, not ${idsOf('FAILED').join()}`);
      return `${taken.length} movements for ${orders.length} orders, ${annulled.length} annulments`;
    },
  };
}

/** One of the bank's books, read from inside the network with the bank's token. */
async function bankBook(project: Project, book: 'movements' | 'requests'): Promise<unknown> {
  const [bank = ''] = await project.containers('sandbox-bank');
  const script = `
    const { readFileSync } = require('node:fs');
    const token = readFileSync('/run/secrets/bank-token', 'utf8').trim();
    const options = { ca: readFileSync('/bank/ca.pem'), headers: { authorization: token } };
    require('node:https').get('https://localhost:8443/sandbox/${book}', options, (answer) => answer.pipe(process.stdout));
  `;
  return JSON.parse(await project.exec(bank, ['node', '-e', script])) as unknown;
}
