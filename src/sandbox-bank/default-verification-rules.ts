import type { VerificationRule } from './rules/verification-rule';

/** What a requestId that begins with `sandbox-<name>` asks for; no name begins with another one. */
const SCENARIOS: Readonly<Record<string, Omit<VerificationRule, 'kind' | 'name' | 'match'>>> = {
  approved: { statuses: ['Aprobado'], person: 'natural' },
  rejected: { statuses: ['Pendiente', 'Rechazado'] },
  pending: { statuses: ['Pendiente'] },
  'new-word': { statuses: ['Pendiente', 'En revisión', 'Aprobado'] },
  unknown: { query: [{ fault: 'not-found', times: 'always' }] },
  garbled: { query: ['malformed:truncated', 'malformed:html', 'malformed:no-fields'] },
  slow: { query: [{ fault: 'slow', delayMs: 3_000, times: 'always' }] },
  'other-request': { echo: [{ set: { requestId: 'another' }, until: 2 }] },
};

export const DEFAULT_VERIFICATION_RULES: readonly VerificationRule[] = Object.entries(SCENARIOS).map(
  ([name, behaviour]) => ({
    kind: 'verification',
    name,
    match: { requestId: { prefix: `sandbox-${name}` } },
    ...behaviour,
  }),
);
