import type { ReconciliationResult } from '../../activities/reconciliation/index';
import { clock } from '../markdown';

/** Where a run stands: before its asOf is known, at a step, or at its end. */
export type ReconciliationMoment =
  | { readonly at: 'opening' }
  /** Steps are counted from 1, over all runs of the chain. */
  | { readonly at: 'step'; readonly asOf: string; readonly step: number }
  | { readonly at: 'end'; readonly result: ReconciliationResult };

/** The run's current details in the Temporal UI. Markdown; `since`: ISO UTC of the run's start. */
export function reconciliationDetails(moment: ReconciliationMoment, since: string): string {
  switch (moment.at) {
    case 'opening':
      return ['**opening**', '', '- **waits for** the journal', `- **since** ${clock(since)}`].join('\n');
    case 'step':
      return [
        `**comparing**, as of ${clock(moment.asOf)}`,
        '',
        `- **waits for** step ${moment.step}: journal, bank and engine, some transfers a step`,
        `- **since** ${clock(since)} (this run)`,
        `- **next** step ${moment.step + 1}, until all transfers of the window are compared; then the report`,
        '',
        `Nothing has to be done. \`giro reconcile show ${moment.asOf}\` has the report when it has ended.`,
      ].join('\n');
    case 'end': {
      const { asOf, outcome, breaksOpened, breaksResolved, notAskedCount } = moment.result;
      return [
        `**${outcome}**, as of ${clock(asOf)}`,
        '',
        `- breaks opened ${breaksOpened}, resolved ${breaksResolved}; not asked ${notAskedCount}`,
        '',
        outcome === 'CLEAN'
          ? 'Nothing has to be done.'
          : `Look: \`giro reconcile show ${asOf}\`, \`giro reconcile breaks --open\`.`,
      ].join('\n');
    }
  }
}
