import type { SandboxRule } from '../../src/sandbox-bank';

/** Phases in which a transfer is when the server fails; `status`: how the transfer must end all the same. */
export const PHASES = [
  { phase: 'receiving', status: 'COMPLETED' },
  { phase: 'create in flight', status: 'COMPLETED' },
  { phase: 'looking up', status: 'COMPLETED' },
  { phase: 'polling, between look-ups', status: 'COMPLETED' },
  { phase: 'polling, a look-up in flight', status: 'FAILED' },
  { phase: 'recording the result', status: 'COMPLETED' },
  { phase: 'annulling', status: 'FAILED' },
] as const;
export type Phase = (typeof PHASES)[number]['phase'];

/**
 * The worker's time-outs. The bank is slow, so requests are in flight long enough to bring all transfers into their
 * phases.
 */
export const CREATE_TIMEOUT_MS = 11_000;
export const LOOKUP_TIMEOUT_MS = 6_000;
const slow = (timeoutMs: number) => ({ fault: 'slow', delayMs: timeoutMs - 1_000 }) as const;
/** Ten requests without an answer, so that the transfers are still in their phase when the server fails. */
const NOT_FOR_LONG = [{ fault: 'http-503', times: 10 }] as const;

const SCENARIOS: Readonly<Record<Phase, SandboxRule>> = {
  receiving: { states: ['CREATED', 'COMPLETED'] },
  'create in flight': {
    create: [slow(CREATE_TIMEOUT_MS)],
    states: ['CREATED', 'COMPLETED'],
  },
  'looking up': {
    create: ['lost-answer'],
    query: NOT_FOR_LONG,
    states: ['CREATED', 'COMPLETED'],
  },
  'polling, between look-ups': {
    query: NOT_FOR_LONG,
    states: ['CREATED', 'COMPLETED'],
  },
  'polling, a look-up in flight': {
    query: [{ ...slow(LOOKUP_TIMEOUT_MS), times: 'always' }],
    states: ['CREATED', 'IN_PROGRESS', 'FAILED'],
  },
  'recording the result': { states: ['COMPLETED'] },
  annulling: { states: ['FAILED'] },
};

export const OUTAGE_RULES: readonly SandboxRule[] = Object.entries(SCENARIOS).map(([description, rule]) => ({
  ...rule,
  match: { description },
}));
