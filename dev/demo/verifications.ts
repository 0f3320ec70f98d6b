import type { VerificationOutcome } from '../../src/domain/verification/status-map';
import type { VerificationRule } from '../../src/sandbox-bank';
import type { GiroEnvironment } from '../giro-environment';

/** An identity verification of the demo; the server skips its timers. */
export interface VerificationScenario {
  readonly name: string;
  readonly requestId: string;
  readonly expected: VerificationOutcome;
  readonly rule: Omit<VerificationRule, 'kind' | 'match'>;
}

/** The state of one verification in bank, journal and engine when the demo ends. */
export interface VerificationEntry {
  readonly scenario: VerificationScenario;
  /** The outcome, or the bank's last status. */
  readonly seen: string;
  readonly polls: number;
  /** Sentences; empty: the books agree with each other and with the scenario. */
  readonly differences: readonly string[];
}

/** The default of `POLL_KYC`, which the demo's worker runs with. */
const POLL_MS = 60_000;

/** Settings of the demo's worker: the meanings of the sandbox bank's statuses. */
export const VERIFICATION_ENV = {
  KYC_STATUS_MAP: 'Pendiente=pending,Aprobado=approved,Rechazado=rejected',
} as const;

export const VERIFICATIONS: readonly VerificationScenario[] = [
  {
    name: 'verification: an hour of Pendiente, an unmapped status, approved (time skipped)',
    requestId: 'demo-kyc-1',
    expected: 'approved',
    rule: { person: 'natural', statuses: [...Array<string>(7).fill('Pendiente'), 'En revisión', 'Aprobado'] },
  },
  {
    name: 'verification of a company: rejected (time skipped)',
    requestId: 'demo-kyc-2',
    expected: 'rejected',
    rule: { person: 'legal', statuses: ['Pendiente', 'Rechazado'] },
  },
];

export const VERIFICATION_RULES: readonly VerificationRule[] = VERIFICATIONS.map(
  ({ name, requestId, rule }) => ({ kind: 'verification', name, match: { requestId }, ...rule }),
);

export async function startVerifications(env: GiroEnvironment): Promise<void> {
  for (const { requestId } of VERIFICATIONS) await env.skipping.trackVerification(requestId);
}

/** Waits until each verification has ended, at most until the deadline. The comparison reports the rest. */
export async function verificationsEnded(env: GiroEnvironment, deadlineMs: number): Promise<void> {
  await Promise.all(
    VERIFICATIONS.map(({ requestId }) => {
      const timeoutMs = Math.max(deadlineMs - Date.now(), 1_000);
      return env.giro.waitForVerification(requestId, { timeoutMs }).catch(() => undefined);
    }),
  );
}

export async function compareVerification(
  env: GiroEnvironment,
  scenario: VerificationScenario,
): Promise<VerificationEntry> {
  const { requestId, expected } = scenario;
  const record = await env.journal.verification(requestId);
  const handle = env.engine.workflow.getHandle(`kyc-${requestId}`);
  const { status } = await handle.describe();
  const ended: unknown = status.name === 'COMPLETED' ? await handle.result() : null;
  const atBank = env.bank.book.verification(requestId);
  const seen = record?.result?.outcome ?? record?.status ?? 'queued';
  const wrong = [
    ...(seen === expected ? [] : [`expected ${expected}, seen ${seen}`]),
    ...(sameJson(record?.result ?? null, ended) ? [] : ['journal and engine tell different results']),
    ...(record?.status === atBank?.status ? [] : [`the bank says ${atBank?.status ?? 'nothing'}`]),
    ...(record?.attentionReasons.length === 0 ? [] : ['still flagged']),
  ];
  const short = shortGaps(env, requestId);
  if (short > 0) wrong.push(`${short} look-ups came before their gap was over`);
  return { scenario, seen, polls: atBank?.queries ?? 0, differences: wrong };
}

/**
 * Gaps in the bank's arrival log that are too short, in workflow time. The demo kills a worker meanwhile, so only the
 * tests check how the gap grows.
 */
function shortGaps(env: GiroEnvironment, requestId: string): number {
  const times = env.bank.book
    .verificationRequests(requestId)
    .map(({ giroTime }) => Date.parse(giroTime ?? ''));
  return times.filter((time, i) => i > 0 && !(time - (times[i - 1] ?? NaN) >= POLL_MS)).length;
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
