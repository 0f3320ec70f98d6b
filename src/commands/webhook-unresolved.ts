import type { AddCommand } from './support/command';
import { EXIT } from '../program/exit-codes';
import { alignedTable, note, orDash, printJson, printLines } from './support/output';
import { runCommand, withContext } from '../program/run';

/** Of each kind; the newest set-aside notifications, the oldest debits. */
const LIMIT = 1_000;

interface Unresolved {
  readonly kind: 'set-aside' | 'debit';
  readonly deliveryKey: string;
  readonly receivedAt: string;
  readonly detail: string;
}

export const addWebhookUnresolved: AddCommand = (parent, { io, end }) => {
  parent
    .command('unresolved')
    .description('notifications that were set aside, and debits in them that the bank has not confirmed')
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const code = await runCommand(io, () =>
        withContext(io, ['journal'], async ({ journal }) => {
          const setAside = await journal.setAsideNotifications({ limit: LIMIT });
          const debits = await journal.suspectedDebits({ since: null, before: null, limit: LIMIT });
          const rows = [
            ...setAside.map((one) => ({ kind: 'set-aside' as const, ...one })),
            ...debits.map(({ isOrphan: _, isConfirmed: __, ...one }) => ({ kind: 'debit' as const, ...one })),
          ];
          if (json) printJson(io, rows);
          else printLines(io, asTable(rows.map((row) => ({ ...row, detail: detailOf(row) }))));
          if ([setAside, debits].some(({ length }) => length === LIMIT))
            note(io, `of each kind only ${LIMIT} are listed: there may be more`);
          return EXIT.done;
        }),
      );
      end(code);
    });
};

type Row = {
  readonly kind: 'set-aside' | 'debit';
  readonly deliveryKey: string;
  readonly receivedAt: string;
} & ({ readonly tries: number } | DebitIds);
interface DebitIds {
  readonly networkIds: readonly string[];
  readonly originIds: readonly number[];
  readonly movementIds: readonly string[];
  readonly asked: number;
  readonly notFound: number;
}

function detailOf(row: Row): string {
  if (!('asked' in row)) return `tried ${row.tries} times; the worker's log says why`;
  const { networkIds, originIds, movementIds, asked, notFound } = row;
  const ids = [
    ...networkIds.map((id) => `network ${id}`),
    ...originIds.map((id) => `originId ${id}`),
    ...movementIds.map((id) => `movement ${id}`),
  ];
  const answers =
    networkIds.length + originIds.length === 0
      ? 'the bank cannot be asked by these ids'
      : `asked ${asked} times, ${notFound} times not confirmed`;
  return `${orDash(ids.join(', ') || null)}; ${answers}`;
}

function asTable(rows: readonly Unresolved[]): string[] {
  if (rows.length === 0) return ['nothing is unresolved'];
  return alignedTable(
    ['KIND', 'RECEIVED AT', 'DELIVERY KEY', 'DETAIL'],
    rows.map(({ kind, receivedAt, deliveryKey, detail }) => [kind, receivedAt, deliveryKey, detail]),
  );
}
