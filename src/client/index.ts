/**
 * Giro for backend services.
 *
 * @example
 * const connection = await Connection.connect({ address: 'localhost:7233' });
 * const giro = new GiroClient({ client: new Client({ connection }) });
 * const { originId } = await giro.startTransfer(order);
 * const result = await giro.waitForTransfer(originId, { timeoutMs: 60_000 });
 */
export { GiroClient } from './giro-client';
export type { DecisionToSign, GiroClientOptions, ReferenceJournal, StartedTransfer } from './giro-client';
export { openReferenceJournal } from './reference-journal';
export { dataConverterOf } from '../codec/data-converter';
export { parseKeyRing } from '../codec/key-ring';
export type { KeyRing, ParsedKeyRing } from '../codec/key-ring';
export * from './errors';
export type { FollowOptions } from './follow-events';
export { SealError } from '../codec/seal';
export { CursorRefused } from '../journal/event-feed';
export type {
  AnnulmentEvent,
  DecisionEvent,
  FinalEvent,
  FlagsEvent,
  GiroEvent,
  IncidentAcknowledgedEvent,
  IncidentEvent,
} from '../journal/event-feed';
export { BindingsMayBeLost, JournalNotReady, JournalUnavailable } from '../journal/errors';
export type { OrderInput } from './order-input';
export { readSigningKey } from '../order-proofs/signing-key';
export type { ParsedSigningKey, SignOrder } from '../order-proofs/signing-key';
export type { AmendStartRequest } from './start-workflow-client';
export { DEFAULT_ORDER_LIMITS, canonicalOrderText, transferWorkflowId } from '../domain/order';
export type { OrderBody, OrderLimits, OrderParty, TransferOrder } from '../domain/order';
export type { OrderIssue } from '../domain/order-validation';
export type { TransferResult, TransferResultStatus } from '../domain/transfer/result';
export type { TransferPhase, TransferView } from '../domain/transfer/view';
export type { DecisionAction, DecisionAnswer, DecisionRequest } from '../domain/transfer/decisions/decision';
export type { MovementHint } from '../workflows/messages';
export type { AnswerReader, KeptVerification } from './verification-client';
export type { TrackedVerification } from './verification-client';
export { verificationWorkflowId } from '../domain/verification/request-id';
export type {
  AdditionalData,
  BankTime,
  Controller,
  DescribedPerson,
  DocumentData,
  IdentityVerification,
  Owner,
  Person,
  RejectedCheck,
  RequestedPerson,
} from '../domain/verification/identity-verification';
export type { VerificationReason } from '../domain/verification/flags';
export type { VerificationResult } from '../domain/verification/state';
export type { VerificationView } from '../domain/verification/view';
export type { VerificationHint } from '../workflows/messages';
