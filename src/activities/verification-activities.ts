import type { VerificationReason } from '../domain/verification/flags';
import { askVerification } from './ask-verification';
import { readClock } from './read-clock';
import { receiveVerification } from './receive-verification';
import type { VerificationActivityContext } from './verification-context';

/** The activities of an identity verification, under the names that workflows call them by. */
export function verificationActivities(context: VerificationActivityContext) {
  const { journal, observer } = context;
  return {
    receiveVerification: receiveVerification(context),
    askVerification: askVerification(context),
    recordVerificationFlags: async (flags: {
      requestId: string;
      reasons: readonly VerificationReason[];
    }): Promise<void> => {
      await journal.recordVerificationFlags(flags.requestId, flags.reasons);
      observer?.flagsRecorded(flags);
    },
    stopVerification: ({ requestId }: { requestId: string }): Promise<void> =>
      journal.stopVerification(requestId),
    readClock,
  };
}

export type VerificationActivities = ReturnType<typeof verificationActivities>;
