import { endOfReconciliation, startReconciliation } from '../../src/engine/reconciliation-runs';
import type { Report } from '../../src/reconciliation/report';
import { toSecond } from '../../src/reconciliation/run-window';
import type { GiroEnvironment } from '../giro-environment';
import type { Scenario } from './scenarios';

export interface DemoReconciliation {
  readonly report: Report;
  /** Sentences; empty: only transfers that wait for an operator differ, and everything could be checked. */
  readonly differences: readonly string[];
}

/** Runs the reconciliation that the schedule runs each day. */
export async function reconcile(
  env: GiroEnvironment,
  taskQueue: string,
  scenarios: readonly Scenario[],
): Promise<DemoReconciliation> {
  const asOf = toSecond(Date.now());
  await startReconciliation(env.engine, taskQueue, { asOf });
  const refusal = await endOfReconciliation(env.engine, asOf);
  const report = await env.journal.report(asOf);
  if (refusal !== null || report === null) throw new Error(refusal ?? 'the reconciliation has no report');
  const held = new Set(
    scenarios.filter(({ expected }) => expected === 'held').map(({ originId }) => originId),
  );
  return {
    report,
    differences: [
      ...report.breaks
        .filter(({ originId }) => originId === null || !held.has(originId))
        .map(({ detail }) => detail),
      ...report.notAsked.map(({ originId, book, reason }) => `${originId}: ${book}: ${reason}`),
    ],
  };
}
