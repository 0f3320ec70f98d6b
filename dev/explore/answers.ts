import type {
  CreateAnswer,
  LookupAnswer,
  RequestErrorCode,
  SeenMovement,
} from '../../src/domain/transfer/answers';

/**
 * The alphabet of the bank: one answer for each class of echo, movement id and status that the machine distinguishes.
 * IN_PROGRESS stands for CREATED too; in an answer that does not match, it stands for DELAYED as well. REVIEW stands
 * for every status outside the reference.
 */
const ECHOES = ['match', 'incomplete', 'mismatch', 'other-origin'] as const;
const IDS = ['A', 'B', null] as const;
const STATUSES = ['IN_PROGRESS', 'DELAYED', 'COMPLETED', 'FAILED', 'REVIEW'] as const;

export interface Word {
  readonly name: string;
  readonly seen: SeenMovement;
  /** Each answer is one object, so equal answers are identical. */
  readonly create: CreateAnswer;
  readonly lookup: LookupAnswer;
}

const ECHO_FIELDS: Readonly<Record<(typeof ECHOES)[number], SeenMovement['echoFields']>> = {
  match: [],
  incomplete: ['details'],
  mismatch: ['amount'],
  'other-origin': ['originId'],
};

/** Every movement that a bank may report. */
export const WORDS: readonly Word[] = ECHOES.flatMap((echo) =>
  IDS.flatMap((id) =>
    STATUSES.filter((status) => status !== 'DELAYED' || echo === 'match').map((status) => {
      const seen: SeenMovement = {
        ...{ status, movementId: id, network: null, networkId: null, postingAt: null, completedAt: null },
        echo: echo === 'other-origin' ? 'mismatch' : echo,
        echoFields: ECHO_FIELDS[echo],
        evidenceSha256: '00',
      };
      return {
        ...{ name: `${status}, ${echo}, movement ${id ?? 'without id'}`, seen },
        create: { kind: 'answered', movement: seen },
        lookup: { kind: 'movement', movement: seen },
      };
    }),
  ),
);

const error = (code: RequestErrorCode) => ({ code, httpStatus: null, retryAfterMs: null });

export const REFUSED: CreateAnswer = { kind: 'refused', httpStatus: 422, code: 'LIMIT' };
export const NOT_SENT: CreateAnswer = { kind: 'not-sent', error: error('CONNECTION_REFUSED') };
/** The order in the journal fails a check before the send. */
export const UNBELIEVED: CreateAnswer = { kind: 'not-sent', error: error('ANOTHER_ORDER') };
export const UNKNOWN: CreateAnswer = { kind: 'unknown', error: error('TIMEOUT') };
export const NOT_FOUND: LookupAnswer = { kind: 'not-found' };
export const NO_ANSWER: LookupAnswer = { kind: 'no-answer', error: error('TIMEOUT') };
export const SHUT: LookupAnswer = { kind: 'no-answer', error: error('UNAUTHORIZED') };
/** The answer of a step whose number is already claimed and has no recorded answer. */
export const REPEATED_CREATE: CreateAnswer = { kind: 'unknown', error: error('REPEATED_STEP') };
export const REPEATED_LOOKUP: LookupAnswer = { kind: 'no-answer', error: error('REPEATED_STEP') };
