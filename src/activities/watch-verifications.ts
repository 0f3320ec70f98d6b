import { REQUEST_ERROR_CODES } from '../domain/transfer/answers';
import type { VerificationAnswer } from '../domain/verification/events';
import type { VerificationResult } from '../domain/verification/state';
import type { Logger } from '../telemetry/logger';
import { fromZero } from '../telemetry/metrics/from-zero';
import type { Words } from '../telemetry/metrics/from-zero';
import type { VerificationMetrics } from '../telemetry/metrics/transfer-metrics';
import type { VerificationObserver } from './verification-observer';

const ANSWERS: Words<VerificationAnswer['kind']> = {
  ...{ status: 0, outcome: 0 },
  ...{ mismatch: 0, 'not-found': 0, 'no-answer': 0 },
};
const OUTCOMES: Words<VerificationResult['outcome']> = { approved: 0, rejected: 0 };

/**
 * Logs and counts verifications. One log line for each change, and for each look-up that gets no answer about the
 * verification; a look-up without news is logged at level debug only.
 * The counters are in docs/metrics.md.
 */
export function watchVerifications(logger: Logger, metrics: VerificationMetrics): VerificationObserver {
  fromZero(metrics.questions, 'outcome', ANSWERS);
  fromZero(metrics.ended, 'outcome', OUTCOMES);
  for (const code of REQUEST_ERROR_CODES) metrics.errors.inc({ code }, 0);
  return {
    asked({ isNews, ...line }) {
      metrics.questions.inc({ outcome: line.outcome });
      if (line.code !== null) {
        metrics.errors.inc({ code: line.code });
        logger.warn(line, 'the bank gave no readable answer about a verification');
      } else if (line.outcome === 'mismatch') {
        logger.warn(line, 'the bank answered with another verification');
      } else if (line.outcome === 'not-found') {
        logger.warn(line, 'the bank does not know the verification');
      } else if (isNews) {
        logger.info(line, 'news of a verification');
      } else {
        logger.debug(line, 'asked about a verification: nothing new');
      }
    },
    ended({ requestId, outcome, status }) {
      metrics.ended.inc({ outcome });
      logger.info({ requestId, outcome, status }, 'verification ended');
    },
    flagsRecorded({ requestId, reasons }) {
      if (reasons.length === 0) logger.info({ requestId }, 'verification no longer needs a person');
      else logger.warn({ requestId, reasons }, 'verification needs attention');
    },
  };
}
