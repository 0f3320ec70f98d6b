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
  .describe('ISO 8601 with its offset; counts to the second');

/** The argument of workflow `reconciliation`. */
export const reconciliationRequest = z
  .strictObject({
    asOf: moment.describe('of the report; by default the scheduled time, or that of the start'),
    from: moment.describe('first moment of the window; by default two local days before that of `to`'),
    to: moment.describe('last moment of the window; by default asOf'),
    statementId: z.int().min(1).nullish().describe('of a statement that was read into the journal'),
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
      .describe('the first of them'),
    chain: chain.optional(),
  }),
).describe('result of workflow `reconciliation`');
