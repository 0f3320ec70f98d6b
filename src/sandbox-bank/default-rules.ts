import type { SandboxRule, VerificationRule } from './rules/rule';

/**
 * The scenario for orders whose description begins with `sandbox:<name>`; text may follow. Rules match by prefix, so no
 * name begins with another. Every other order: CREATED, IN_PROGRESS, COMPLETED.
 */
const SCENARIOS: Readonly<Record<string, Omit<SandboxRule, 'name' | 'match'>>> = {
  completed: { states: ['COMPLETED'] },
  failed: { states: ['CREATED', 'FAILED'] },
  delayed: { states: ['CREATED', 'DELAYED', 'DELAYED', 'COMPLETED'] },
  'late-failure': { states: ['CREATED', 'DELAYED', 'FAILED'] },
  stuck: { states: ['CREATED', 'IN_PROGRESS'] },
  'unknown-status': { states: ['CREATED', 'ON_HOLD', 'COMPLETED'] },
  /** Reversed after a final status. */
  reversed: { states: ['CREATED', 'COMPLETED', 'FAILED'] },

  refused: { create: [{ fault: 'http-422', code: 'ACCOUNT_NOT_ENABLED', times: 'always' }] },
  'lost-answer': { create: ['lost-answer'] },
  'timeout-before': { create: ['timeout-before'] },
  'timeout-after': { create: ['timeout-after'] },
  reset: { create: ['reset'] },
  unavailable: { create: ['http-503'] },
  'error-but-taken': { create: [{ fault: 'http-500', taken: true }] },
  garbled: { create: ['malformed:truncated'] },
  slow: { create: [{ fault: 'slow', delayMs: 3_000 }], query: [{ fault: 'slow', delayMs: 3_000 }] },
  /** Order taken, no answer sent; a repeated create is an error. */
  'duplicate-error': { create: ['lost-answer'], duplicates: 'error' },

  /** The known race: not found right after the create. */
  'not-found': { query: [{ fault: 'not-found', times: 2 }] },
  vanished: { query: ['ok', { fault: 'not-found', times: 'always' }] },
  flaky: { query: ['http-500', 'reset', 'malformed:html', 'ok', 'lost-answer'] },

  'wrong-echo': { echo: [{ set: { 'details.amount': 1 }, until: 2 }] },
  'no-details': { echo: [{ omit: ['details'] }] },
  'single-owner': { owners: 'object' },
};

export const DEFAULT_RULES: readonly SandboxRule[] = Object.entries(SCENARIOS).map(([name, behaviour]) => ({
  name,
  match: { description: { prefix: `sandbox:${name}` } },
  ...behaviour,
}));

/** The scenario for requestIds that begin with `sandbox-<name>`; no name begins with another. */
const VERIFICATION_SCENARIOS: Readonly<Record<string, Omit<VerificationRule, 'kind' | 'name' | 'match'>>> = {
  approved: { statuses: ['Aprobado'], person: 'natural' },
  rejected: { statuses: ['Pendiente', 'Rechazado'] },
  pending: { statuses: ['Pendiente'] },
  'new-word': { statuses: ['Pendiente', 'En revisión', 'Aprobado'] },
  unknown: { query: [{ fault: 'not-found', times: 'always' }] },
  garbled: { query: ['malformed:truncated', 'malformed:html', 'malformed:no-fields'] },
  slow: { query: [{ fault: 'slow', delayMs: 3_000, times: 'always' }] },
  'other-request': { echo: [{ set: { requestId: 'another' }, until: 2 }] },
};

export const DEFAULT_VERIFICATION_RULES: readonly VerificationRule[] = Object.entries(
  VERIFICATION_SCENARIOS,
).map(([name, behaviour]) => ({
  kind: 'verification',
  name,
  match: { requestId: { prefix: `sandbox-${name}` } },
  ...behaviour,
}));
