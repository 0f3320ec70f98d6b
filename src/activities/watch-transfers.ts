import { REQUEST_ERROR_CODES } from '../domain/transfer/answers';
import type { CreateAnswer, LookupAnswer } from '../domain/transfer/answers';
import type { TransferResultStatus } from '../domain/transfer/result';
import type { Logger } from '../telemetry/logger';
import { fromZero } from '../telemetry/metrics/from-zero';
import type { Words } from '../telemetry/metrics/from-zero';
import type { TransferMetrics } from '../telemetry/metrics/transfer-metrics';
import type { RequestReport, TransferObserver } from './transfer-observer';

const CREATE_ENDS: Words<CreateAnswer['kind']> = { answered: 0, 'not-sent': 0, refused: 0, unknown: 0 };
const LOOKUP_ENDS: Words<LookupAnswer['kind']> = { movement: 0, 'not-found': 0, 'no-answer': 0 };
const RESULTS: Words<TransferResultStatus> = { COMPLETED: 0, FAILED: 0, REFUSED: 0, WITHDRAWN: 0 };
const REQUESTS: Words<RequestReport['request']> = { create: 0, 'get-movement': 0 };

/**
 * Logs and counts transfers. One log line for each change of a transfer; a poll without news is logged at level debug
 * only. The counters are in docs/metrics.md. Identifiers, statuses and times only.
 */
export function watchTransfers(logger: Logger, metrics: TransferMetrics): TransferObserver {
  startAtZero(metrics);
  return {
    requestEnded(report) {
      count(metrics, report);
      const { isNews, durationMs, lateMs, ...facts } = report;
      const line = { ...facts, durationMs: Math.round(durationMs), lateMs: Math.round(lateMs) };
      if (report.request === 'get-movement' && !isNews) logger.debug(line, 'asked the bank: nothing new');
      else if (report.code !== null) logger.warn(line, 'the bank gave no readable answer');
      else if (report.echo === 'mismatch') logger.warn(line, 'the bank answered with another movement');
      else logger.info(line, report.request === 'create' ? 'sent to the bank' : 'news from the bank');
    },
    ended({ originId, status, movementId, networkId, annulmentId, decidedBy }) {
      metrics.ended.inc({ status });
      if (annulmentId !== null) metrics.annulments.inc();
      logger.info({ originId, status, movementId, networkId, annulmentId, decidedBy }, 'transfer ended');
    },
    orderRefused({ originId, issues }) {
      const fields = issues.map(({ path, rule }) => `${path} ${rule}`);
      logger.warn({ originId, fields }, 'an order is refused');
    },
    decisionRefused(refused) {
      logger.warn(refused, 'a decision does not count: its signature is not accepted');
    },
    createRefused(refused) {
      logger.warn(refused, 'a create is refused: the journal does not permit it');
    },
    endRefused(refused) {
      logger.warn(refused, 'an end is refused: the journal does not show it');
    },
    flagsRecorded({ originId, reasons }) {
      if (reasons.length === 0) logger.info({ originId }, 'transfer no longer needs a person');
      else logger.warn({ originId, reasons }, 'transfer needs attention');
    },
  };
}

function startAtZero({ creates, lookups, ended, requestErrors, requestSeconds }: TransferMetrics): void {
  fromZero(creates, 'outcome', CREATE_ENDS);
  fromZero(lookups, 'outcome', LOOKUP_ENDS);
  fromZero(ended, 'status', RESULTS);
  for (const request of Object.keys(REQUESTS)) {
    requestSeconds.zero({ request });
    for (const code of REQUEST_ERROR_CODES) requestErrors.inc({ request, code }, 0);
  }
}

function count(metrics: TransferMetrics, report: RequestReport): void {
  const { request, outcome, code } = report;
  (request === 'create' ? metrics.creates : metrics.lookups).inc({ outcome });
  if (code !== null) metrics.requestErrors.inc({ request, code });
  metrics.requestSeconds.observe({ request }, report.durationMs / 1000);
  if (request === 'get-movement') metrics.pollLatenessSeconds.observe(report.lateMs / 1000);
}
