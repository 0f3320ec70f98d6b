import type { StartedTransfer } from '../../client/giro-client';
import type { TransferResult } from '../../domain/transfer/result';
import { EXIT, highest, exitCodeOf } from '../../program/exit-codes';
import type { ExitCode } from '../../program/exit-codes';
import { alignedTable, orDash } from './output';
import type { StartOutcome, WaitOutcome } from './start-orders';

/** One order in the output of `transfer start --json`. */
export interface StartReport {
  /** Null: an order by reference that was not bound. */
  readonly originId: number | null;
  readonly reference: string | null;
  readonly workflowId: string | null;
  readonly runId: string | null;
  /** False: the transfer existed already, or was surely not started (then `error` is set); null: not known. */
  readonly started: boolean | null;
  /** With `--wait`; null: no result in time. */
  readonly result?: TransferResult | null;
  /** Why the order was not started, or has no result. */
  readonly error?: { readonly type: string; readonly message: string };
}

export type Waits = ReadonlyMap<StartedTransfer, WaitOutcome>;

/** `waits`: null without `--wait`. */
export function startReport(outcome: StartOutcome, waits: Waits | null): StartReport {
  const { prepared } = outcome.order;
  const asked = {
    originId: prepared.by === 'origin-id' ? prepared.order.originId : null,
    reference: prepared.by === 'reference' ? prepared.reference : null,
    workflowId: null,
    runId: null,
  };
  switch (outcome.kind) {
    case 'started':
    case 'already-there': {
      if (waits === null) return outcome.transfer;
      const wait = waits.get(outcome.transfer);
      if (wait?.kind === 'ended') return { ...outcome.transfer, result: wait.result };
      return {
        ...outcome.transfer,
        result: null,
        ...(wait === undefined ? {} : { error: reported(wait.error) }),
      };
    }
    case 'refused':
    case 'not-started':
      return { ...asked, started: false, error: reported(outcome.error) };
    case 'unknown':
      return { ...asked, started: null, error: reported(outcome.error) };
    case 'not-tried':
      return {
        ...asked,
        started: false,
        error: { type: 'NotTried', message: 'not tried: a server was lost before' },
      };
  }
}

const reported = ({ name, message }: Error) => ({ type: name, message });

/** The highest exit code of all orders. */
export function startExitCode(outcomes: readonly StartOutcome[], waits: Waits | null): ExitCode {
  return highest([
    ...outcomes.map((outcome) => ('error' in outcome ? exitCodeOf(outcome.error) : EXIT.done)),
    ...[...(waits?.values() ?? [])].map((wait) => {
      if (wait.kind === 'no-result') return exitCodeOf(wait.error);
      return wait.result.status === 'COMPLETED' ? EXIT.done : EXIT.notCompleted;
    }),
  ]);
}

/** Sentences about what was and was not started; none if all orders were. */
export function shortfall(outcomes: readonly StartOutcome[]): string[] {
  const failed = outcomes.filter((outcome) => 'error' in outcome);
  if (failed.length === 0) return [];
  const count = (kind: StartOutcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length;
  const words = [
    `${count('started')} started`,
    `${count('already-there')} already there`,
    `${count('refused')} refused`,
    `${count('not-started')} not started`,
    `${count('unknown')} not known whether started`,
    `${count('not-tried')} not tried`,
  ];
  const sentences = failed.map(({ order, error }) => `${order.place}: ${error.message}`);
  if (outcomes.length === 1) return sentences;
  const summary = words.filter((word) => !word.startsWith('0 ')).join(', ');
  return [...sentences, isServerLost(outcomes) ? `${summary}; repeating the command is safe` : summary];
}

/** A server was lost, so more calls to it are pointless. */
export const isServerLost = (outcomes: readonly StartOutcome[]): boolean =>
  outcomes.some(({ kind }) => kind === 'unknown' || kind === 'not-started');

export function startTable(reports: readonly StartReport[]): string[] {
  return alignedTable(
    ['ORIGIN ID', 'REFERENCE', 'START', 'RESULT', 'NETWORK ID'],
    reports.map(({ originId, reference, started, result, error }) => [
      orDash(originId),
      orDash(reference),
      startWord(started, result === undefined ? error : undefined),
      result?.status ?? (result === null ? 'open' : '-'),
      orDash(result?.networkId ?? null),
    ]),
  );
}

function startWord(started: boolean | null, error: StartReport['error']): string {
  if (started === null) return 'not known';
  if (started) return 'started';
  return error === undefined ? 'already there' : 'not started';
}
