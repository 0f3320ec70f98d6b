import { z } from 'zod';
import type { StartReport } from '../../src/commands/support/start-report';
import { FINAL_CONTRADICTED } from '../../src/commands/support/transfer-report';
import type { TransferReport } from '../../src/commands/support/transfer-report';
import type { CheckResult } from '../../src/doctor/check-result';
import { PARTY_FIELDS } from '../../src/domain/echo';
import { DECISION_ACTIONS } from '../../src/domain/transfer/decisions/decision';
import { ATTENTION_REASONS } from '../../src/domain/transfer/flags';
import { TRANSFER_RESULT_STATUSES } from '../../src/domain/transfer/result';
import { annulmentFields, incidentFields } from './event';
import { decimal, originId, time } from './parts';
import { sameAs } from './same-as';
import { transferResult, transferState } from './transfer';

/** The outputs of commands with `--json`. */
const text = z.string().nullable();

export const startedTransfer = sameAs<StartReport>()(
  z.strictObject({
    originId: originId.nullable().describe('null: an order by reference that was not bound'),
    reference: text,
    workflowId: text,
    runId: text,
    started: z
      .boolean()
      .nullable()
      .describe('false: it was already there, or surely not started (with `error`); null: not known'),
    result: transferResult.nullable().exactOptional().describe('with --wait; null: no result in time'),
    error: z.strictObject({ type: z.string(), message: z.string() }).exactOptional(),
  }),
).describe('`transfer start --json`: of one order this, of several a list');

const party = z.strictObject({
  addressType: z.literal('CBU_CVU'),
  address: z.string(),
  owner: z.strictObject({ personIdType: z.literal('CUI'), personId: z.string() }),
});

export const transferReport = sameAs<TransferReport>()(
  transferState.omit({ attentionReasons: true }).extend({
    attentionReasons: z.array(z.enum([...ATTENTION_REASONS, FINAL_CONTRADICTED])),
    reference: text,
    amount: z
      .strictObject({ currency: z.string(), value: decimal })
      .nullable()
      .describe('as ordered; null: not known yet, or sealed under a key that the command lacks'),
    differingValues: z
      .strictObject({
        number: z.int().min(1).describe('of the request that brought the answer'),
        at: time,
        fields: z.array(z.enum(PARTY_FIELDS)),
        shown: z
          .enum(['last-four', 'whole', 'nothing'])
          .describe('digits of the values; whole, which are personal data, only with --reveal'),
        why: text.describe('why nothing is shown'),
        values: z.array(
          z.strictObject({
            field: z.enum(PARTY_FIELDS),
            ordered: text,
            reported: z.array(text).describe('null: text that is no number'),
          }),
        ),
      })
      .nullable()
      .exactOptional()
      .describe('of `transfer show` alone: accounts and tax ids that differ; null: none does'),
    openedAt: time,
    status: z.enum(TRANSFER_RESULT_STATUSES).nullable().describe('of the result; null while open'),
    result: transferResult.nullable(),
    annulment: z
      .strictObject({ ...annulmentFields, originId, from: party, to: party, reason: text, recordedAt: time })
      .nullable()
      .describe('as ordered: personal data'),
    incidents: z.array(
      z.strictObject({
        ...incidentFields,
        originId,
        at: time,
        acknowledged: z.strictObject({ operator: z.string(), note: z.string(), at: time }).nullable(),
      }),
    ),
    attempts: z
      .array(
        z.strictObject({
          number: z.int().min(1),
          at: time,
          outcome: z.enum(['answered', 'not-sent', 'refused', 'unknown']).nullable(),
        }),
      )
      .describe('creates claimed, in order; null: what came of it is not recorded, or in the archive'),
    archiveSha256: text.describe(
      'an archive that may hold answers before the last one; null: all answers are in the journal',
    ),
    orderKeyId: text.describe(
      '`kid` that the proof of the order names, which is not verified here; null: it came without one',
    ),
    decisions: z
      .array(
        z.strictObject({
          outcome: z.enum(['proposed', 'accepted', 'resumed', 'withdrawn']),
          action: z.enum(DECISION_ACTIONS),
          operator: z.string(),
          at: time,
          keyFingerprint: text.describe('of the key that signed it; null: it was not signed'),
        }),
      )
      .describe('what operators decided, in order'),
    live: z.boolean().describe('false: no worker answered; phase, counts and times come from the journal'),
  }),
).describe('`transfer show --json`, and an element of `transfer list --json`');

export const checkResult = sameAs<CheckResult>()(
  z.strictObject({
    check: z.string(),
    ok: z.boolean(),
    detail: z.string().describe('what was seen'),
    remedy: text.describe('how to fix it; where `ok`, a warning'),
  }),
).describe('an element of `doctor --json`');
