import fc from 'fast-check';
import { DECISION_ACTIONS } from '../../../src/domain/transfer/decisions/decision';
import type { ProposedAction } from '../../../src/domain/transfer/decisions/decision';
import { MOVEMENT_ID } from './world';
import type { CreateScript, LookupMovement, LookupScript, Script } from './world';

const movement = fc.record<LookupMovement>({
  status: fc.constantFrom('CREATED', 'IN_PROGRESS', 'DELAYED', 'COMPLETED', 'FAILED', 'REVIEW'),
  echo: fc.constantFrom(
    'match',
    'match',
    'match',
    'match',
    'incomplete',
    'mismatch',
    'other-origin',
    'other-id',
  ),
  id: fc.oneof({ weight: 12, arbitrary: fc.constant(MOVEMENT_ID) }, fc.constantFrom(null, '666', '777')),
});

const OPERATORS = ['ana', ' Ana ', 'luis', 'eva'] as const;

const attempt = fc.record({
  afterStep: fc.nat(200),
  action: fc.constantFrom(...DECISION_ACTIONS),
  operator: fc.constantFrom(...OPERATORS),
});

/** Two decisions for one action, close together, so that they may be accepted. */
const pair = fc
  .record({
    afterStep: fc.nat(200),
    apart: fc.nat(3),
    action: fc.constantFrom<ProposedAction>(
      'resend',
      'accept-not-taken',
      'accept-completed',
      'accept-failed',
    ),
    operators: fc.tuple(fc.constantFrom(...OPERATORS), fc.constantFrom(...OPERATORS)),
  })
  .map(({ afterStep, apart, action, operators: [first, second] }) => [
    { afterStep, action, operator: first },
    { afterStep: afterStep + apart, action, operator: second },
  ]);

const decisions = fc
  .tuple(fc.array(attempt, { maxLength: 4 }), fc.array(pair, { maxLength: 6 }))
  .map(([attempts, pairs]) => [...attempts, ...pairs.flat()]);

/** A random script of what the bank, the network and people do; short scripts are repeated. */
export const script = fc.record<Script>({
  creates: fc.array(
    fc.oneof(
      fc.constantFrom<CreateScript>(
        ...([
          'held-back',
          'not-sent',
          'refused',
          'unknown',
          'unknown',
          'worker-lost',
          'unauthorized',
        ] as const),
      ),
      movement,
    ),
    { maxLength: 6 },
  ),
  lookups: fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom<LookupScript>(
          'not-found',
          'not-found',
          'not-found',
          'no-answer',
          'unauthorized',
          'rate-limited',
        ),
      },
      { weight: 2, arbitrary: movement },
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
  deferrals: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60_000 })), { maxLength: 40 }),
  createWaits: fc.array(fc.constantFrom(0, 0, 2_000, 40 * 60_000, 23 * 3_600_000), { maxLength: 4 }),
  durations: fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 4 }),
  signals: fc.array(
    fc.record({
      afterStep: fc.nat(120),
      kind: fc.constantFrom('hinted' as const, 'cancel-requested' as const),
    }),
    { maxLength: 4 },
  ),
  decisions,
});

/** The create's answer reported a movement that no look-up finds: two operators may have it sent again. */
export const vanishing = fc
  .tuple(script, fc.integer({ min: 22, max: 32 }), fc.nat(1), fc.constantFrom(...OPERATORS))
  .map(([base, afterStep, apart, second]): Script => ({
    ...base,
    creates: [{ status: 'CREATED', echo: 'match' }, ...base.creates],
    lookups: ['not-found'],
    decisions: [
      { afterStep, action: 'resend', operator: 'ana' },
      { afterStep: afterStep + apart, action: 'resend', operator: second },
      ...base.decisions,
    ],
  }));
