import { z } from 'zod';
import type { ReconciliationResult } from '../../src/activities/reconciliation';
import { reportSchema } from '../../src/reconciliation/reports/report-schema';
import { count, originId, time } from './parts';
import { sameAs } from './same-as';

const moment = z
  .string()
  .regex(
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})$/,
  )
  .nullish()
  .describe('ISO 8601 with its offset; fractions of a second are dropped');

/** The argument of workflow `reconciliation`. */
export const reconciliationRequest = z
  .strictObject({
    asOf: moment.describe(
      'time that the report is about; default: the scheduled time, or the time of the start',
    ),
    from: moment.describe('beginning of the window; default: local midnight two days before the day of `to`'),
    to: moment.describe('last second of the window; default: asOf'),
    statementId: z.int().min(1).nullish().describe('id of a statement in the journal'),
  })
  .describe(
    'argument of workflow `reconciliation`, which may be absent; the workflow id is reconciliation-<asOf>',
  );

const { outcome, totals, notAsked, chain } = reportSchema.shape;

export const reconciliationResult = sameAs<ReconciliationResult>()(
  z.strictObject({
    asOf: time,
    outcome,
    totals,
    breaksOpened: count,
    breaksResolved: count,
    notAskedCount: count,
    notAsked: z
      .array(
        z.strictObject({
          originId,
          book: notAsked.element.shape.book,
          why: notAsked.element.shape.reason,
        }),
      )
      .describe('the first hundred'),
    chain: chain.optional(),
  }),
).describe('result of workflow `reconciliation`');
