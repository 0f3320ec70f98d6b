import { isFinalStatus } from '../../src/domain/movement';
import { stateOf, until } from '../giro-environment';
import type { GiroEnvironment } from '../giro-environment';
import type { Scenario } from './scenarios';

/** The state of one transfer in the three books when the demo ends. */
export interface BookEntry {
  readonly scenario: Scenario;
  /** The result's status, or `held`, or the phase in which the transfer is stuck. */
  readonly seen: string;
  /** Creates in the bank's arrival log. */
  readonly creates: number;
  readonly polls: number;
  readonly bankMovements: number;
  readonly annulments: number;
  /** Sentences; empty: the books agree with each other and with the scenario. */
  readonly differences: readonly string[];
}

/** The least gap under each status of the bank, from the start of one request to the start of the next. */
const GAP_MS: Readonly<Record<string, number>> = { DELAYED: 600_001 };
const GAP_ACTIVE_MS = 5_000;

/** Compares a transfer in bank, journal and engine. */
export async function compareBooks(env: GiroEnvironment, scenario: Scenario): Promise<BookEntry> {
  const { originId, expected } = scenario;
  const bankMovement = env.bank.book.movement(String(originId));
  const record = await env.journal.transfer(originId);
  const engine = await env.transfer(originId).describe();
  const ended = engine.status.name === 'COMPLETED' ? await env.transfer(originId).result() : null;
  const view = await until(
    () => stateOf(env, originId),
    () => true,
  );
  const annulments = (await env.journal.annulments({ since: null, after: null, limit: 1_000 })).filter(
    (a) => a.originId === originId,
  );
  const bankMovements = bankMovement === null ? 0 : 1;
  const seen = ended?.status ?? view.phase;

  const differences: string[] = [];
  const check = (agrees: boolean, sentence: string): void => {
    if (!agrees) differences.push(sentence);
  };
  check(seen === expected, `expected ${expected}, seen ${seen}`);
  check(bankMovements === scenario.bankMovements, `the bank has ${bankMovements} movements`);
  check(
    JSON.stringify(record?.result ?? null) === JSON.stringify(ended),
    'journal and engine tell different results',
  );
  check(annulments.length === (expected === 'FAILED' ? 1 : 0), `${annulments.length} annulments`);
  if (ended !== null && isFinalStatus(ended.status)) {
    check(bankMovement?.status === ended.status, `the bank says ${bankMovement?.status ?? 'nothing'}`);
    check(bankMovement?.amount === ended.amount.value, 'the amounts differ');
    check(bankMovement?.id === ended.movementId, 'the movement ids differ');
  }
  if (expected === 'held') check(view.needsAttention, 'held, but not flagged');
  const { short, creates, bodies } = auditRequests(env, originId);
  check(short === 0, `${short} requests came before their gap was over`);
  check(creates === scenario.creates, `the order was sent ${creates} times`);
  check(bodies <= 1, `the creates have ${bodies} different bodies`);
  return {
    ...{ scenario, seen, creates, polls: view.polls, bankMovements },
    ...{ annulments: annulments.length, differences },
  };
}

/** The bank's arrival log, in workflow time: a skipped timer counts in full. */
function auditRequests(env: GiroEnvironment, originId: number) {
  const requests = env.bank.book.requests(String(originId));
  let word: string | null = null;
  let short = 0;
  requests.forEach((request, i) => {
    const before = requests[i - 1];
    word = before?.movementStatus ?? word;
    if (before === undefined) return;
    const gapMs = Date.parse(request.giroTime ?? '') - Date.parse(before.giroTime ?? '');
    if (!(gapMs >= (GAP_MS[word ?? ''] ?? GAP_ACTIVE_MS))) short += 1;
  });
  const creates = requests.filter(({ service }) => service === 'transfer-request');
  const bodies = new Set(creates.map(({ bodySha256 }) => bodySha256)).size;
  return { short, creates: creates.length, bodies };
}
