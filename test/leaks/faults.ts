import type { SandboxRule, VerificationRule } from '../../src/sandbox-bank';
import { FAULT_WORDS } from '../../src/sandbox-bank/rules/fault-schema';
import { CANARIES } from './canaries';

/** One status of each kind that Giro distinguishes. */
const HTTP_STATUSES = [200, 204, 302, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503];

/** What a careless bank or gateway might answer: everything that it knows, in the body and in headers. */
const EVERYTHING = {
  code: CANARIES.payee,
  status: CANARIES.bankName,
  message: Object.values(CANARIES).join(' '),
  errors: [{ detail: CANARIES, stack: `Authorization: ${CANARIES.apiKey}` }],
};
const HEADERS = {
  'X-Debug': `${CANARIES.apiKey} ${CANARIES.payer}`,
  'WWW-Authenticate': `Bearer realm="${CANARIES.hmacSecret}"`,
  'X-Account': CANARIES.fromAccount,
};

type CreateFaults = NonNullable<SandboxRule['create']>;
type QueryFaults = NonNullable<SandboxRule['query']>;

/**
 * Faults after which the order is not taken: twelve look-ups and a second create, or a refusal, follow. After the
 * others the movement is found at once.
 */
const NOT_TAKEN: ReadonlySet<string> = new Set(['http-400', 'http-503']);

/** How to cause a fault once; some need a duration. */
function steps(word: string, service: 'create' | 'query'): object[] {
  if (word === 'slow') return [{ fault: word, delayMs: 50 }];
  const adjustable = word.startsWith('http-') || word === 'duplicate-error';
  const taken = service === 'create' && adjustable ? { taken: !NOT_TAKEN.has(word) } : {};
  return [
    word.startsWith('http-')
      ? { fault: word, body: EVERYTHING, headers: HEADERS, ...taken }
      : { fault: word, ...taken },
  ];
}

export interface Scenario {
  readonly name: string;
  readonly rule: Omit<SandboxRule, 'match'>;
}

const states = ['CREATED', 'IN_PROGRESS', 'COMPLETED'];

const HTTP_WORDS = HTTP_STATUSES.map((status) => `http-${status}`);

/** The faults that must have happened, by service, as in the sandbox bank's schema. */
export const FAULTS = {
  'transfer-request': [...FAULT_WORDS.create, ...HTTP_WORDS],
  'get-movement': [...FAULT_WORDS.query, ...HTTP_WORDS],
} as const;

/** One fault of each service in each transfer: faults of create and get-movement are independent. */
const pairs = Array.from(
  { length: Math.max(FAULTS['transfer-request'].length, FAULTS['get-movement'].length) },
  (_, i) => ({ create: FAULTS['transfer-request'][i] ?? 'ok', query: FAULTS['get-movement'][i] ?? 'ok' }),
);

/** Every fault, and answers with too much content. */
export const SCENARIOS: readonly Scenario[] = [
  ...pairs.map(({ create, query }) => ({
    name: `create ${create}, query ${query}`,
    rule: {
      states,
      create: steps(create, 'create') as unknown as CreateFaults,
      query: steps(query, 'query') as unknown as QueryFaults,
    },
  })),
  { name: 'FAILED', rule: { states: ['CREATED', 'FAILED'] } },
  {
    name: 'status words with data',
    rule: { states: [`A ${CANARIES.payee}`, CANARIES.bankName, 'COMPLETED'] },
  },
  {
    name: 'ids with data',
    rule: {
      states: ['CREATED', 'COMPLETED'],
      echo: [
        {
          set: { 'details.network': CANARIES.bankName, 'details.networkId': CANARIES.description },
          until: 2,
        },
      ],
    },
  },
  {
    name: 'other parties',
    rule: {
      states: ['CREATED', 'COMPLETED'],
      echo: [
        {
          set: {
            ...{ 'details.amount': Number(CANARIES.payee), 'details.amountCurrency': CANARIES.bankName },
            'counterparty.accountRouting.address': CANARIES.fromAccount,
            'counterparty.personId': CANARIES.bankName,
            'thisSubAccount.owners': [{ personId: CANARIES.payee }, { personId: CANARIES.description }],
          },
        },
      ],
    },
  },
  {
    name: 'another movement',
    rule: {
      states: ['CREATED', 'COMPLETED'],
      echo: [{ set: { 'counterparty.accountRouting.address': CANARIES.fromAccount } }],
    },
  },
];

/** Every answer contains personal data: in its fields, in an error, in place of a status. */
export const VERIFICATION: VerificationRule = {
  kind: 'verification',
  person: 'natural',
  statuses: [`A ${CANARIES.payee}`, 'Aprobado'],
  query: [{ fault: 'http-500', body: EVERYTHING, headers: HEADERS }, 'not-found'],
  echo: [{ set: { 'requestedPerson.legalReason': CANARIES.bankName } }],
};
