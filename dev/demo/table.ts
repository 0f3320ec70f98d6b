import Table from 'cli-table3';
import type { TransferRecord } from '../../src/journal/statements/transfer-records';
import type { BookEntry } from './books';
import { BATCH, BATCH_NAME, SCENARIOS } from './scenarios';
import type { Scenario } from './scenarios';
import type { VerificationEntry } from './verifications';

const BORDERLESS = {
  chars: {
    ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
    ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
    ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};

export const ALL_SCENARIOS: readonly Scenario[] = [...Object.values(SCENARIOS), ...BATCH];

/** The status to show for a transfer: its result, else `held`, else the bank's status. */
function wordOf(record: TransferRecord | undefined): string {
  if (record === undefined) return 'queued';
  if (record.result !== null) return record.result.status;
  return record.attentionReasons.length > 0
    ? `held: ${record.attentionReasons.join(', ')}`
    : (record.bankStatus ?? 'received');
}

/** The live view: a line for each scenario, and one for the batch. */
export function liveTable(records: ReadonlyMap<number, TransferRecord>): string {
  const table = new Table({ ...BORDERLESS, head: ['originId', 'scenario', 'now', 'asked'] });
  for (const scenario of Object.values(SCENARIOS)) {
    const record = records.get(scenario.originId);
    table.push([scenario.originId, scenario.name, wordOf(record), record?.polls ?? 0]);
  }
  const batch = BATCH.map(({ originId }) => records.get(originId));
  const ended = batch.filter((record) => record?.result != null).length;
  const polls = batch.reduce((sum, record) => sum + (record?.polls ?? 0), 0);
  table.push([`${BATCH[0]?.originId} …`, BATCH_NAME, `${ended} of ${BATCH.length} ended`, polls]);
  return table.toString();
}

/** The live view without a terminal: a line for each scenario that has begun, and one for the batch. */
export function plainLines(records: ReadonlyMap<number, TransferRecord>): (readonly [string, string])[] {
  const lines = Object.values(SCENARIOS).flatMap(({ originId, name }): (readonly [string, string])[] => {
    const record = records.get(originId);
    return record === undefined ? [] : [[name, `${originId}  ${wordOf(record).padEnd(20)}  ${name}`]];
  });
  const batch = BATCH.flatMap(({ originId }) => records.get(originId) ?? []);
  const ended = batch.filter(({ result }) => result !== null).length;
  if (batch.length > 0) lines.push([BATCH_NAME, `2001 …  ${ended} of ${BATCH.length} ended  ${BATCH_NAME}`]);
  return lines;
}

/** The final table. The batch takes one line, unless something in it is wrong. */
export function finalTable(
  entries: readonly BookEntry[],
  verifications: readonly VerificationEntry[],
): string {
  const table = new Table({
    ...BORDERLESS,
    head: ['id', 'scenario', 'expected', 'seen', 'sent', 'asked', 'movements', 'annulments', ''],
  });
  const isBatch = ({ scenario }: BookEntry) => BATCH.includes(scenario);
  const batch = entries.filter(isBatch);
  const quiet = batch.length > 0 && batch.every(({ differences }) => differences.length === 0);
  for (const entry of entries) {
    if (quiet && isBatch(entry)) continue;
    const { scenario, seen, creates, polls, bankMovements, annulments, differences } = entry;
    table.push([
      ...[scenario.originId, scenario.name, scenario.expected, seen],
      ...[creates, polls, bankMovements, annulments],
      verdict(differences),
    ]);
  }
  if (quiet) {
    const sum = (of: (entry: BookEntry) => number) => batch.reduce((total, entry) => total + of(entry), 0);
    table.push([
      `${batch[0]?.scenario.originId} …`,
      BATCH_NAME,
      ...['COMPLETED', `${batch.length} × COMPLETED`],
      ...[sum((e) => e.creates), sum((e) => e.polls), sum((e) => e.bankMovements), sum((e) => e.annulments)],
      'ok',
    ]);
  }
  for (const { scenario, seen, polls, differences } of verifications) {
    table.push([
      ...[scenario.requestId, scenario.name, scenario.expected, seen, '-', polls, '-', '-'],
      verdict(differences),
    ]);
  }
  return table.toString();
}

const verdict = (differences: readonly string[]): string =>
  differences.length === 0 ? 'ok' : `WRONG: ${differences.join('; ')}`;
