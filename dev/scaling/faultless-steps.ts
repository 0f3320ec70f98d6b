import type { SeenMovement } from '../../src/domain/transfer/answers';
import type { TransferEvent } from '../../src/domain/transfer/events';
import type { Step } from '../../src/domain/transfer/next-step';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';

/** Duration of each request to the bank. */
export const LATENCY_MS = 150;

/** The event of a step that makes no request. */
export function eventOf(step: Step, atMs: number): TransferEvent {
  if (step.do === 'receive')
    return {
      ...{ kind: 'received', atMs, orderSha256: 'f'.repeat(64), amountValue: '1500.25' },
      ...{ settings: DEFAULT_TRANSFER_SETTINGS, facts: null, journalId: 'one' },
    };
  if (step.do === 'record-flags') return { kind: 'flags-recorded', atMs, reasons: step.reasons };
  if (step.do === 'record-result')
    return { kind: 'result-recorded', atMs, result: step.result, conflict: false };
  if (step.do === 'record-annulment') {
    const result = { ...step.result, annulmentId: 'annulment' };
    return { kind: 'result-recorded', atMs, result, conflict: false };
  }
  throw new Error(`${step.do} is no step of this day`);
}

/** The event of a request that the bank answers with this status. */
export function answered(
  { do: kind, number }: Extract<Step, { do: 'create' | 'lookup' }>,
  originId: number,
  atMs: number,
  status: string,
): TransferEvent {
  const movement: SeenMovement = {
    ...{ status, movementId: `m-${originId}`, network: 'COELSA', networkId: `n-${originId}` },
    ...{ postingAt: null, completedAt: null, echo: 'match', echoFields: [], evidenceSha256: 'e'.repeat(64) },
  };
  const timing = {
    ...{ atMs, startedAtMs: atMs - LATENCY_MS, number, settings: DEFAULT_TRANSFER_SETTINGS, inFlightMs: 0 },
  };
  return kind === 'create'
    ? { ...timing, kind: 'create-ended', answer: { kind: 'answered', movement }, claimAgeMs: LATENCY_MS }
    : { ...timing, kind: 'lookup-ended', answer: { kind: 'movement', movement } };
}
