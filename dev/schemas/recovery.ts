import { z } from 'zod';
import type { FullRecoveryReport } from '../../src/recovery/recover-verifications';
import { count, originId } from './parts';
import { sameAs } from './same-as';

export const recoveryResult = sameAs<FullRecoveryReport>()(
  z.strictObject({
    checked: count.describe('open transfers checked'),
    recovered: z.array(originId).describe('transfers whose runs were started again'),
    failed: z
      .array(
        z.strictObject({
          originId,
          reason: z.enum(['RUN_ENDED', 'ORDER_UNREADABLE', 'ENGINE_REFUSED', 'STRANDED', 'UNEXPECTED']),
        }),
      )
      .describe('the first hundred transfers that could not be recovered'),
    failedInAll: count,
    more: z.boolean().describe('a limit was reached: the others wait for the next recovery'),
    verifications: z.strictObject({
      checked: count,
      recovered: z.array(z.string()).describe('requestIds whose runs were started again'),
      refused: z.array(z.string()).describe('the first hundred requestIds that could not be recovered'),
      refusedInAll: count,
      more: z.boolean(),
    }),
  }),
).describe('result of workflow `recovery`, which takes no argument');
