import { POSTGRES_TRANSACTIONS_PER_S, postgresEnd, sizing } from './sizing';
import { MEASURED, POLLS_PER_RUN, pollsWithin, transferCost } from './transfer-cost';

const ACTIVE_GAP_S = 5;
const DELAYED_GAP_S = 630;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/** The tables of docs/scaling.md, by the heading above them. */
export const SCALING_TABLES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'What a transfer costs': [
    ['part', 'state transitions', 'events'],
    ...[
      ['a transfer that completes after two look-ups', MEASURED.completed] as const,
      ['each further look-up', MEASURED.unchangedPoll] as const,
      ['FAILED instead of COMPLETED, with the annulment', annulmentCost()] as const,
      [`each continue-as-new, after ${POLLS_PER_RUN} look-ups`, MEASURED.continueAsNew] as const,
      ['a change of status', MEASURED.changedStatus] as const,
      ['a create or an annulment for which no worker has room at once', MEASURED.waitingActivity] as const,
      ['a worker that is stopped and replaced', MEASURED.workerChange] as const,
    ].map(([name, { transitions, events }]) => [name, whole(transitions), whole(events)]),
  ],
  'Whole transfers': [
    ['transfer', 'look-ups', 'events', 'state transitions', 'history', 'journal statements'],
    ...[
      ['completed within 10 s', pollsWithin(10, ACTIVE_GAP_S)],
      ['a minute', pollsWithin(MINUTE_S, ACTIVE_GAP_S)],
      ['five minutes', pollsWithin(5 * MINUTE_S, ACTIVE_GAP_S)],
      ['an hour in CREATED or IN_PROGRESS', pollsWithin(HOUR_S, ACTIVE_GAP_S)],
      ['a day in DELAYED', pollsWithin(24 * HOUR_S, DELAYED_GAP_S)],
    ].map(([name, polls]) => costRow(String(name), Number(polls))),
  ],
  'Transfers that end within 10 s': sizingTable(pollsWithin(10, ACTIVE_GAP_S)),
  'Transfers that take a minute': sizingTable(pollsWithin(MINUTE_S, ACTIVE_GAP_S)),
  'Where PostgreSQL ends': [
    [
      `transfers a second at ${whole(POSTGRES_TRANSACTIONS_PER_S)} transactions a second`,
      'under Temporal',
      'under the journal',
    ],
    endRow('transfers that end within 10 s', pollsWithin(10, ACTIVE_GAP_S)),
    endRow('transfers that take a minute', pollsWithin(MINUTE_S, ACTIVE_GAP_S)),
  ],
};

function annulmentCost(): { readonly transitions: number; readonly events: number } {
  const { completed, failed } = MEASURED;
  return {
    transitions: failed.transitions - completed.transitions,
    events: failed.events - completed.events,
  };
}

function endRow(name: string, polls: number): string[] {
  const { temporal, journal } = postgresEnd(polls);
  return [name, whole(temporal), whole(journal)];
}

function costRow(name: string, polls: number): string[] {
  const { events, transitions, historyBytes, journalStatements } = transferCost(polls);
  const kilobytes = `${whole(Math.ceil(historyBytes / 1_000))} KB`;
  return [name, whole(polls), whole(events), whole(transitions), kilobytes, whole(journalStatements)];
}

function sizingTable(polls: number): string[][] {
  const columns = [10, 100, 1_000, 10_000].map((perS) => sizing(perS, polls, ACTIVE_GAP_S));
  const row = (name: string, of: (column: (typeof columns)[number]) => string) => [name, ...columns.map(of)];
  return [
    row('transfers a second', (it) => whole(it.transfersPerS)),
    row('state transitions a second', (it) => whole(it.transitionsPerS)),
    row('requests to the bank a second', (it) => whole(it.bankRequestsPerS)),
    row('journal statements a second', (it) => whole(it.journalStatementsPerS)),
    row('open at once', (it) => whole(it.openTransfers)),
    row('processors of the Temporal server', (it) => whole(it.serverCores)),
    row('processors of its PostgreSQL', (it) => (it.storeCores === null ? '–' : whole(it.storeCores))),
    row("processors of the journal's PostgreSQL", (it) => whole(it.journalCores)),
    row('workers (one processor, 2 GB each)', (it) => whole(it.workers)),
    row('… because of', (it) => it.workersFor),
    row('history shards', (it) => whole(it.shards)),
    row('database under Temporal', (it) => it.temporalStore),
    row('installations, by their journals', (it) => whole(it.installations)),
    row('histories of 30 days', (it) => `${whole(it.historyGb)} GB`),
  ];
}

function whole(count: number): string {
  return count.toLocaleString('en-US');
}
