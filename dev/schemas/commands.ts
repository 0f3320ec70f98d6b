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
    originId: originId.nullable().describe('null: the reference of the order was not bound'),
    reference: text,
    workflowId: text,
    runId: text,
    started: z
      .boolean()
      .nullable()
      .describe(
        'false: the transfer existed already, or was not started (then `error` is set); null: unknown',
      ),
    result: transferResult.nullable().exactOptional().describe('with --wait; null: no result in time'),
    error: z.strictObject({ type: z.string(), message: z.string() }).exactOptional(),
  }),
).describe('`transfer start --json`: this object for one order, a list of them for several');

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
      .describe(
        'as ordered; null: not known yet, or the order does not open with the key ring of the command',
      ),
    differingValues: z
      .strictObject({
        number: z.int().min(1).describe('number of the request with this answer'),
        at: time,
        fields: z.array(z.enum(PARTY_FIELDS)),
        shown: z
          .enum(['last-four', 'whole', 'nothing'])
          .describe('which digits are shown; all of them (personal data) only with --reveal'),
        why: text.describe('why nothing is shown; null: values are shown'),
        values: z.array(
          z.strictObject({
            field: z.enum(PARTY_FIELDS),
            ordered: text,
            reported: z.array(text).describe('null: not a number'),
          }),
        ),
      })
      .nullable()
      .exactOptional()
      .describe('only in `transfer show`: accounts and tax ids that differ; null: none differs'),
    openedAt: time,
    status: z.enum(TRANSFER_RESULT_STATUSES).nullable().describe('status of the result; null while open'),
    result: transferResult.nullable(),
    annulment: z
      .strictObject({ ...annulmentFields, originId, from: party, to: party, reason: text, recordedAt: time })
      .nullable()
      .describe('`from` and `to` as ordered: personal data'),
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
      .describe('claimed creates, in order; `outcome` null: not recorded, or only in an archive'),
    archiveSha256: text.describe(
      'an archive that may hold answers before the last one; null: all answers are in the journal',
    ),
    orderKeyId: text.describe(
      "`kid` in the order's proof, which the command does not verify; null: the order came without a proof",
    ),
    decisions: z
      .array(
        z.strictObject({
          outcome: z.enum(['proposed', 'accepted', 'resumed', 'withdrawn']),
          action: z.enum(DECISION_ACTIONS),
          operator: z.string(),
          at: time,
          keyFingerprint: text.describe('fingerprint of the signing key; null: not signed'),
        }),
      )
      .describe('what operators decided, in order'),
    live: z
      .boolean()
      .describe('true: a worker answered; false: phase, counts and times are derived from the journal'),
  }),
).describe('`transfer show --json`, and an element of `transfer list --json`');

export const checkResult = sameAs<CheckResult>()(
  z.strictObject({
    check: z.string(),
    ok: z.boolean(),
    detail: z.string().describe('what the check found'),
    remedy: text.describe('how to fix the problem; with `ok` true, a warning; null: nothing to fix'),
  }),
).describe('an element of `doctor --json`');
