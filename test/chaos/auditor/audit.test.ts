import { audit } from './audit';
import type { AnswerRow, BankMovement, BankRequest, Books, RequestRow, ResultRow } from './books';
import { centavos } from './reading';

const PARTY = { address: '0009001600000000000017', owner: { personId: '30714979732' } };
const OTHER = { address: '9990001800000000000017', owner: { personId: '20218346414' } };
const AMOUNT = { amount: '1500.25', currency: '032' };
const ANSWERED = { kind: 'answered', echo: 'match', movement_id: null };
const FOUND = { ...ANSWERED, kind: 'movement' };
const START = Date.parse('2026-01-05T12:00:00.000Z');
const iso = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

const movement = (originId: string, status: string): BankMovement => ({
  ...{ id: `9${originId}`, originId, status, ...AMOUNT, from: PARTY, to: OTHER },
  networkId: `N${originId}`,
});

/** A look-up of 100 ms whose answer has this movement status, is a 404, or is missing. */
const asked = (originId: string, seconds: number, told: string | 404 | null, more = {}): BankRequest => ({
  ...{ service: 'get-movement', originId, at: iso(seconds), giroTime: iso(seconds), bodySha256: 'a' },
  ...{
    status: typeof told === 'string' ? 200 : told,
    movementStatus: typeof told === 'string' ? told : null,
    movementId: typeof told === 'string' ? `9${originId}` : null,
  },
  ...{ finishedAt: iso(seconds + 0.1), ...more },
});
const sent = (originId: string, seconds: number, told: string | null): BankRequest =>
  asked(originId, seconds, told, { service: 'transfer-request' });

const claimsOf = (requests: readonly BankRequest[]): RequestRow[] => {
  const counts = new Map<string, number>();
  return requests.map(({ originId, service, at }) => {
    const number = (counts.get(originId!) ?? 0) + 1;
    counts.set(originId!, number);
    const kind = service === 'transfer-request' ? 'create' : 'lookup';
    const claimedAt = new Date(Date.parse(at) - 5).toISOString();
    return {
      origin_id: originId!,
      number: `${number}`,
      kind,
      run_id: `run-${originId}`,
      claimed_at: claimedAt,
    };
  });
};

const ended = (
  originId: string,
  recordId: number,
  status: string,
  result: Partial<ResultRow['result']> = {},
): ResultRow => ({
  origin_id: originId,
  record_id: `${recordId}`,
  recorded_at: iso(700),
  result: {
    status,
    ...{ movementId: `9${originId}`, networkId: `N${originId}`, annulmentId: null, decidedBy: 'bank' },
    ...{ amount: { value: AMOUNT.amount, currency: AMOUNT.currency }, ...result },
  },
});

/** A COMPLETED, a FAILED after DELAYED, a WITHDRAWN, and one that is open and looked up with a flag. */
function cleanBooks(): Books {
  const requests = [
    ...[sent('1', 1, 'CREATED'), asked('1', 7, 'COMPLETED')],
    ...[sent('2', 1, 'DELAYED'), asked('2', 640, 'FAILED')],
    sent('4', 1, null),
    ...Array.from({ length: 13 }, (_, i) => asked('4', 7 + 12 * i, 404)),
  ];
  const result = [
    ended('1', 1, 'COMPLETED'),
    ended('2', 3, 'FAILED', { annulmentId: 'annulment-2' }),
    ended('3', 4, 'WITHDRAWN', { movementId: null, networkId: null }),
  ];
  return {
    orders: ['1', '2', '3', '4'].map((originId) => ({ originId, ...AMOUNT, from: PARTY, to: OTHER })),
    cancels: [{ originId: '3', at: iso(0.5) }],
    bank: {
      movements: [movement('1', 'COMPLETED'), movement('2', 'FAILED')],
      requests,
      twisted: {},
    },
    journal: {
      transfer: ['1', '2', '3', '4'].map((origin_id) => ({
        ...{ origin_id, opened_at: iso(0), proof: 'header..signature' },
        order_json: { from: PARTY, to: OTHER, body: { amount: '1500.25', currencyId: '032' } },
      })),
      request: claimsOf(requests),
      inquiry: [],
      answer: [
        { ...{ origin_id: '2', number: '1', bank_status: 'DELAYED', recorded_at: iso(1.2) }, ...ANSWERED },
        { ...{ origin_id: '1', number: '1', bank_status: 'CREATED', recorded_at: iso(1.2) }, ...ANSWERED },
        { ...{ origin_id: '1', number: '2', bank_status: 'COMPLETED', recorded_at: iso(7.2) }, ...FOUND },
        { ...{ origin_id: '2', number: '2', bank_status: 'FAILED', recorded_at: iso(640.2) }, ...FOUND },
      ],
      result,
      annulment: [
        {
          ...{ origin_id: '2', record_id: '2', id: 'annulment-2', movement_id: '92', ...AMOUNT },
          ...{ decided_by: 'bank', operators: [], recorded_at: iso(641) },
        },
      ],
      decision: [],
      flags: [
        { origin_id: '4', seq: '1', record_id: '5', reasons: ['OUTCOME_UNKNOWN'], recorded_at: iso(151) },
      ],
      events: [
        { cursor: 'a', kind: 'final', originId: '1' },
        { cursor: 'b', kind: 'annulment', originId: '2' },
        { cursor: 'c', kind: 'final', originId: '2' },
        { cursor: 'd', kind: 'final', originId: '3' },
        { cursor: 'e', kind: 'flags', originId: '4' },
      ],
    },
    verifications: [
      { requestId: 'first', bankWord: 'Rechazado', meaning: 'rejected', outcome: 'rejected' },
      { requestId: 'second', bankWord: 'Pendiente', meaning: null, outcome: null },
    ],
    reconciliation: {
      ...{ startedAt: iso(700), hasReport: true },
      breaks: [{ originId: '4', class: 'MISSING_AT_BANK' }],
    },
    histories: ['1', '2', '3', '4'].map((originId, i) => ({
      ...{ originId, runId: `run-${originId}`, firstRunId: `run-${originId}`, startedAt: iso(0) },
      ...{ eventCount: 40, replayError: null },
      completedAs: ['COMPLETED', 'FAILED', 'WITHDRAWN', null][i]!,
    })),
    terms: {
      ...{ pollActiveMs: 5_000, pollDelayedMs: 630_000, clock: 'bank', standstills: [], losses: [] },
      ...{ takenAt: iso(720), progressWithinMs: 60_000, standstillMaxMs: 710_000, eventsPerRunMax: 2_000 },
      isSigned: true,
    },
  };
}

type Change = (books: Books) => Books;
const bank =
  (change: (book: Books['bank']) => Partial<Books['bank']>): Change =>
  (books) => ({ ...books, bank: { ...books.bank, ...change(books.bank) } });
const journal =
  (change: (book: Books['journal']) => Partial<Books['journal']>): Change =>
  (books) => ({ ...books, journal: { ...books.journal, ...change(books.journal) } });
const all =
  (...changes: readonly Change[]): Change =>
  (books) =>
    changes.reduce((changed, change) => change(changed), books);

/** The bank answered so about the first transfer. */
const told = (change: Partial<AnswerRow>): Change =>
  journal(({ answer }) => ({
    answer: answer.map((it) => (it.origin_id === '1' && it.number === '1' ? { ...it, ...change } : it)),
  }));
/** Further requests, each with its claim. */
const alsoAsked = (...more: readonly BankRequest[]): Change =>
  all(
    bank(({ requests }) => ({ requests: [...requests, ...more].sort((a, b) => (a.at < b.at ? -1 : 1)) })),
    (books) => journal(() => ({ request: claimsOf(books.bank.requests) }))(books),
  );

/** So many repeats of the create of transfer 4, each after twelve not-founds. */
const repeated = (times: number): Change =>
  alsoAsked(
    ...Array.from({ length: times }, (_, i) => 160 + 80 * i).flatMap((seconds) => [
      sent('4', seconds, null),
      ...Array.from({ length: 12 }, (_, i) => asked('4', seconds + 6 + 6 * i, 404)),
    ]),
  );

/** The transfer is still open, is only flagged for that, and is looked up. */
const openTooLong = (originId: string, cursor: string): Change =>
  all(
    alsoAsked(asked(originId, 700, null)),
    journal(({ result, flags, events }) => ({
      result: result.filter((it) => it.origin_id !== originId),
      flags: [
        ...flags,
        ...[
          {
            origin_id: originId,
            seq: '1',
            record_id: '6',
            reasons: ['OPEN_TOO_LONG'],
            recorded_at: iso(600),
          },
        ],
      ],
      events: [...events.filter((it) => it.originId !== originId), ...[{ cursor, kind: 'flags', originId }]],
    })),
    (books) => ({
      ...books,
      histories: books.histories.map((it) => (it.originId === originId ? { ...it, completedAs: null } : it)),
    }),
  );

const firstRow = <T>([first, ...rest]: readonly T[], change: (row: T) => Partial<T>): T[] => [
  { ...first!, ...change(first!) },
  ...rest,
];

type Order = Books['journal']['transfer'][number]['order_json'];
/** Another order of transfer 1 in the journal. */
const writtenOrder = (change: (order: Order) => Partial<Order>): Change =>
  journal(({ transfer }) => ({
    transfer: firstRow(transfer, ({ order_json: order }) => ({ order_json: { ...order, ...change(order) } })),
  }));
/** Another result of transfer 1. */
const firstResult = (change: (result: ResultRow['result']) => Partial<ResultRow['result']>): Change =>
  journal(({ result: rows }) => ({
    result: firstRow(rows, ({ result }) => ({ result: { ...result, ...change(result) } })),
  }));

/** Transfer 3 ends REFUSED. */
const refused = (result: Partial<ResultRow['result']> = {}): Change =>
  all(
    journal(({ result: rows }) => ({
      result: rows.map((it) =>
        it.origin_id === '3' ? { ...it, result: { ...it.result, status: 'REFUSED', ...result } } : it,
      ),
    })),
    (books) => ({
      ...books,
      histories: books.histories.map((it) => (it.originId === '3' ? { ...it, completedAs: 'REFUSED' } : it)),
    }),
  );

/** A create of transfer 3 that got this HTTP status and was recorded as refused, and look-ups that found nothing. */
const refusal = (status: number, notFounds: number): Change =>
  all(
    alsoAsked(
      { ...sent('3', 1, null), status },
      ...Array.from({ length: notFounds }, (_, i) => asked('3', 7 + 12 * i, 404)),
    ),
    journal(({ answer }) => ({
      answer: [
        ...answer,
        {
          ...{
            origin_id: '3',
            number: '1',
            kind: 'refused',
            echo: null,
            movement_id: null,
            bank_status: null,
          },
          recorded_at: iso(1.2),
        },
      ],
    })),
  );

test('books in which every promise was kept', () => {
  expect(audit(cleanBooks())).toEqual([]);
  expect(audit(all(refused(), refusal(422, 12))(cleanBooks()))).toEqual([]);
});

test.each<[rule: string, what: string, originId: string | null, change: Change]>([
  [
    'moved-twice',
    'a second movement under one originId',
    '1',
    bank(({ movements }) => ({ movements: [...movements, movement('1', 'COMPLETED')] })),
  ],
  ['sent-again', 'a create after five not-founds', '4', alsoAsked(sent('4', 61, null))],
  ['sent-again', 'a create after a look-up has shown the movement', '1', alsoAsked(sent('1', 690, null))],
  ['sent-again', 'a repeat with other bytes', '4', alsoAsked({ ...sent('4', 690, null), bodySha256: 'b' })],
  ['sent-again', 'a fourth create', '4', repeated(3)],
  [
    'unwritten',
    'a request without a claimed number',
    '1',
    journal(({ request }) => ({
      request: request.filter((it) => it.origin_id !== '1' || it.number !== '2'),
    })),
  ],
  [
    'unwritten',
    'a number that was claimed after the request had arrived',
    '1',
    journal(({ request }) => ({ request: firstRow(request, () => ({ claimed_at: iso(2) })) })),
  ],
  [
    'unwritten',
    'an order that was written down after it was sent',
    '1',
    journal(({ transfer }) => ({ transfer: firstRow(transfer, () => ({ opened_at: iso(3) })) })),
  ],
  [
    'unwritten',
    'a number that is left out',
    '1',
    journal(({ request }) => ({ request: firstRow(request, () => ({ number: '3' })) })),
  ],
  [
    'lost-order',
    'an order that the journal does not have',
    '9',
    (books) => ({ ...books, orders: [...books.orders, { ...books.orders[0]!, originId: '9' }] }),
  ],
  [
    'unsigned',
    'an order without a proof',
    '1',
    journal(({ transfer }) => ({ transfer: firstRow(transfer, () => ({ proof: null })) })),
  ],
  [
    'unsigned',
    'a decision without a signature',
    '4',
    journal(({ decision, events }) => ({
      decision: [
        ...decision,
        {
          ...{ origin_id: '4', seq: '2', record_id: '6', outcome: 'proposed', action: 'resend' },
          ...{ operator: 'ana', signature: null, operators: ['ana'], flags: [], recorded_at: iso(695) },
        },
      ],
      events: [...events, { cursor: 'f', kind: 'decision', originId: '4' }],
    })),
  ],
  [
    'invented-order',
    'a movement that nobody ordered',
    '7',
    bank(({ movements }) => ({ movements: [...movements, movement('7', 'COMPLETED')] })),
  ],
  [
    'invented-order',
    'an order in the journal that nobody gave',
    '3',
    (books) => ({ ...books, orders: books.orders.filter(({ originId }) => originId !== '3') }),
  ],
  [
    'invented-order',
    'a create that nobody ordered',
    '7',
    bank(({ requests }) => ({ requests: [...requests, sent('7', 690, null)] })),
  ],
  [
    'amount',
    'a centavo less at the bank',
    '1',
    bank(({ movements }) => ({ movements: firstRow(movements, () => ({ amount: '1500.24' })) })),
  ],
  [
    'amount',
    'another amount in the annulment',
    '2',
    journal(({ annulment }) => ({ annulment: firstRow(annulment, () => ({ amount: '1500.20' })) })),
  ],
  [
    'amount',
    'another currency at the bank',
    '1',
    bank(({ movements }) => ({ movements: firstRow(movements, () => ({ currency: '840' })) })),
  ],
  [
    'amount',
    'another amount in the order of the journal',
    '1',
    writtenOrder(({ body }) => ({ body: { ...body, amount: '1500.2' } })),
  ],
  [
    'amount',
    'another currency in the order of the journal',
    '1',
    writtenOrder(({ body }) => ({ body: { ...body, currencyId: '840' } })),
  ],
  [
    'amount',
    'another amount in the result',
    '1',
    firstResult(({ amount }) => ({ amount: { ...amount, value: '15002.50' } })),
  ],
  [
    'amount',
    'another currency in the result',
    '1',
    firstResult(({ amount }) => ({ amount: { ...amount, currency: '840' } })),
  ],
  [
    'account',
    'another destination at the bank',
    '1',
    bank(({ movements }) => ({ movements: firstRow(movements, () => ({ to: PARTY })) })),
  ],
  [
    'account',
    'another owner of the origin at the bank',
    '1',
    bank(({ movements }) => ({
      movements: firstRow(movements, () => ({ from: { ...PARTY, owner: OTHER.owner } })),
    })),
  ],
  ['account', 'another origin in the order of the journal', '1', writtenOrder(() => ({ from: OTHER }))],
  [
    'result',
    'COMPLETED, and the bank has FAILED',
    '1',
    bank(({ movements }) => ({ movements: firstRow(movements, () => ({ status: 'FAILED' })) })),
  ],
  [
    'result',
    'the id of another movement',
    '1',
    journal(({ result }) => ({
      result: firstRow(result, (it) => ({ result: { ...it.result, movementId: '92' } })),
    })),
  ],
  ['result', 'the network id of another movement', '1', firstResult(() => ({ networkId: 'N2' }))],
  [
    'result',
    'another result in the engine',
    '1',
    (books) => ({ ...books, histories: firstRow(books.histories, () => ({ completedAs: 'REFUSED' })) }),
  ],
  [
    'result',
    'an end in the engine that the journal does not have',
    '4',
    (books) => ({
      ...books,
      histories: books.histories.map((it) => (it.originId === '4' ? { ...it, completedAs: 'FAILED' } : it)),
    }),
  ],
  [
    'result',
    'COMPLETED by one operator alone',
    '1',
    journal(({ result }) => ({
      result: firstRow(result, (it) => ({ result: { ...it.result, decidedBy: 'operators' } })),
    })),
  ],
  [
    'annulment',
    'FAILED without an annulment',
    '2',
    journal(({ events }) => ({ annulment: [], events: events.filter(({ kind }) => kind !== 'annulment') })),
  ],
  [
    'annulment',
    'FAILED with two annulments',
    '2',
    journal(({ annulment, events }) => ({
      annulment: [...annulment, { ...annulment[0]!, record_id: '6', id: 'annulment-again' }],
      events: [...events, { cursor: 'f', kind: 'annulment', originId: '2' }],
    })),
  ],
  [
    'annulment',
    'FAILED with another annulment than its result names',
    '2',
    journal(({ annulment }) => ({ annulment: firstRow(annulment, () => ({ id: 'annulment-1' })) })),
  ],
  [
    'annulment',
    'an annulment by operators, and none of them decided',
    '2',
    journal(({ annulment }) => ({
      annulment: firstRow(annulment, () => ({ decided_by: 'operators', operators: ['ana', 'luis'] })),
    })),
  ],
  [
    'annulment',
    'an annulment by operators, and one of them decided twice',
    '2',
    journal(({ annulment, decision, events }) => ({
      annulment: firstRow(annulment, () => ({ decided_by: 'operators', operators: ['ana', 'Ana'] })),
      decision: [
        ...decision,
        {
          ...{ origin_id: '2', seq: '1', record_id: '6', outcome: 'accepted', action: 'accept-failed' },
          ...{ operator: 'Ana', signature: 'armoured' },
          ...{ operators: ['ana', 'Ana'], flags: [], recorded_at: iso(640.5) },
        },
      ],
      events: [...events, { cursor: 'f', kind: 'decision', originId: '2' }],
    })),
  ],
  [
    'annulment',
    'an annulment of what COMPLETED',
    '1',
    journal(({ annulment, events }) => ({
      annulment: [...annulment, { ...annulment[0]!, origin_id: '1', record_id: '6', id: 'annulment-1' }],
      events: [...events, { cursor: 'f', kind: 'annulment', originId: '1' }],
    })),
  ],
  [
    'not-taken',
    'WITHDRAWN, and the bank has it',
    '3',
    bank(({ movements }) => ({ movements: [...movements, movement('3', 'COMPLETED')] })),
  ],
  ['result', 'WITHDRAWN, and nobody had cancelled it', '3', (books) => ({ ...books, cancels: [] })],
  ['result', 'WITHDRAWN after a create', '3', alsoAsked(sent('3', 1, null))],
  [
    'result',
    'WITHDRAWN, although a create had been claimed',
    '3',
    journal(({ request }) => ({
      request: [
        ...request,
        { ...{ origin_id: '3', number: '1', kind: 'create', run_id: 'run-3' }, claimed_at: iso(1) },
      ],
    })),
  ],
  ['result', 'REFUSED, and nothing was sent', '3', refused()],
  [
    'result',
    'REFUSED, and the refusal was lost with its worker',
    '3',
    all(
      ...[refused(), refusal(422, 12)],
      journal(({ answer }) => ({ answer: answer.filter(({ kind }) => kind !== 'refused') })),
    ),
  ],
  ['result', 'REFUSED after an error', '3', all(refused(), refusal(500, 12))],
  ['result', 'REFUSED after eleven not-founds', '3', all(refused(), refusal(422, 11))],
  [
    'result',
    'REFUSED, and an earlier create may have arrived',
    '3',
    all(
      ...[refused(), refusal(422, 12)],
      journal(({ request }) => ({
        request: [
          ...request,
          { ...{ origin_id: '3', number: '14', kind: 'create', run_id: 'run-3' }, claimed_at: iso(690) },
        ],
      })),
    ),
  ],
  [
    'result',
    'REFUSED by operators, and none of them decided',
    '3',
    all(refused({ decidedBy: 'operators' }), refusal(422, 12)),
  ],
  ['cadence', 'a look-up 3 s after the one before', '4', alsoAsked(asked('4', 154, 404))],
  ['cadence', 'a look-up a minute after DELAYED', '2', alsoAsked(asked('2', 61, 404))],
  [
    'cadence',
    'a look-up a minute after DELAYED, in skipped time',
    '2',
    all(
      bank(({ requests }) => ({
        requests: requests.map((it) => (it.movementStatus === 'FAILED' ? { ...it, giroTime: iso(61) } : it)),
      })),
      (books) => ({ ...books, terms: { ...books.terms, clock: 'workflow' } }),
    ),
  ],
  [
    'stands-still',
    'open, and neither flagged nor asked for',
    '4',
    journal(({ events }) => ({ flags: [], events: events.filter(({ kind }) => kind !== 'flags') })),
  ],
  [
    'stands-still',
    'open for too long, and no longer asked for',
    '1',
    all(
      openTooLong('1', 'f'),
      bank(({ requests }) => ({ requests: requests.filter(({ at }) => at < iso(650)) })),
      journal(({ answer, request }) => ({
        answer: answer.filter(({ bank_status }) => bank_status !== 'COMPLETED'),
        request: request.filter((it) => it.claimed_at < iso(650)),
      })),
    ),
  ],
  [
    'stands-still',
    'nothing was recorded about it for longer than faults explain',
    '1',
    (books) => ({ ...books, terms: { ...books.terms, standstillMaxMs: 690_000 } }),
  ],
  ['unended', 'a recorded final status that ends nothing, long ago', '1', openTooLong('1', 'f')],
  [
    'unended',
    'a final status that is asked for again and again, and never recorded',
    '1',
    all(
      openTooLong('1', 'f'),
      bank(() => ({ twisted: { '1': { isWrong: false, isIncomplete: false } } })),
      alsoAsked(...Array.from({ length: 24 }, (_, i) => asked('1', 577 + 5.1 * i, 'COMPLETED'))),
      journal(({ answer }) => ({ answer: answer.filter(({ bank_status }) => bank_status !== 'COMPLETED') })),
    ),
  ],
  [
    'flag-without-cause',
    'a mismatch, and the bank answered rightly',
    '4',
    journal(({ flags }) => ({ flags: firstRow(flags, () => ({ reasons: ['ECHO_MISMATCH'] })) })),
  ],
  ['flag-missing', 'a wrong echo that nobody was told of', '1', told({ kind: 'movement', echo: 'mismatch' })],
  ['flag-missing', 'a word of its own that nobody was told of', '1', told({ bank_status: 'EN_REVISION' })],
  [
    'replay',
    'a run that goes another way in its replay',
    '1',
    (books) => ({
      ...books,
      histories: firstRow(books.histories, () => ({ replayError: 'nondeterminism' })),
    }),
  ],
  [
    'history-too-long',
    'a run of more events than are allowed',
    '1',
    (books) => ({ ...books, histories: firstRow(books.histories, () => ({ eventCount: 2_001 })) }),
  ],
  [
    'events',
    'a final that the feed leaves out',
    '3',
    journal(({ events }) => ({ events: events.filter(({ cursor }) => cursor !== 'd') })),
  ],
  [
    'events',
    'two events the other way round',
    '2',
    journal(({ events: [a, b, c, ...rest] }) => ({ events: [a!, c!, b!, ...rest] })),
  ],
  [
    'events',
    'an event that no record explains',
    '1',
    journal(({ events }) => ({ events: [...events, { cursor: 'f', kind: 'final', originId: '1' }] })),
  ],
  ['events', 'an event twice', null, journal(({ events }) => ({ events: [...events, events.at(-1)!] }))],
])('%s: %s', (rule, _, originId, change) => {
  const violations = audit(change(cleanBooks()));
  expect(new Set(violations.map((it) => it.rule))).toEqual(new Set([rule]));
  expect(violations.map((it) => it.originId)).toContain(originId);
});

test('a final status is given time to end the transfer, and other flags hold the end back', () => {
  const rulesOf = (change: Change) =>
    audit(all(openTooLong('1', 'f'), change)(cleanBooks())).map(({ rule }) => rule);
  expect(rulesOf((books) => books)).toEqual(['unended']);
  expect(
    rulesOf(
      journal(({ answer }) => ({
        answer: answer.map((it) => (it.bank_status === 'COMPLETED' ? { ...it, recorded_at: iso(670) } : it)),
      })),
    ),
  ).toEqual([]);
  const decided = journal(({ flags }) => ({
    flags: flags.map((it) => (it.origin_id === '1' ? { ...it, recorded_at: iso(690) } : it)),
  }));
  expect(rulesOf(decided)).toEqual([]);
  const alsoFlagged = journal(({ flags }) => ({
    flags: flags.map((it) =>
      it.origin_id === '1' ? { ...it, reasons: ['JOURNAL_CONFLICT', 'OPEN_TOO_LONG'] } : it,
    ),
  }));
  expect(rulesOf(alsoFlagged)).not.toContain('unended');
});

/** All requests about transfer 4. The bank has its movement if an answer reports one. */
const onlyAsked = (...requests: readonly BankRequest[]): Change =>
  all(
    bank((book) => ({
      requests: book.requests.filter(({ originId }) => originId !== '4'),
      movements: [
        ...book.movements,
        ...requests
          .flatMap(({ movementStatus }) => movementStatus ?? [])
          .slice(-1)
          .map((status) => movement('4', status)),
      ],
    })),
    alsoAsked(...requests),
  );
const lookups = (count: number, status: 401 | 403 | 404, fromSeconds: number): BankRequest[] =>
  Array.from({ length: count }, (_, i) => asked('4', fromSeconds + 12 * i, null, { status }));
const twisted = (isWrong: boolean, isIncomplete: boolean): Change =>
  bank(() => ({ twisted: { '4': { isWrong, isIncomplete } } }));
const shown = sent('4', 1, 'CREATED');
const unanswered = sent('4', 1, null);

test.each<[reason: string, cause: readonly Change[], other: readonly Change[]]>([
  ['ECHO_MISMATCH', [twisted(true, false)], [twisted(false, true)]],
  ['ECHO_INCOMPLETE', [twisted(false, true)], [twisted(true, false)]],
  [
    'VANISHED',
    [onlyAsked(shown, ...lookups(12, 404, 7))],
    [
      onlyAsked(shown, ...lookups(11, 404, 7)),
      onlyAsked(unanswered, ...lookups(12, 404, 7)),
      // All not-founds but one came before the bank reported the movement.
      onlyAsked(unanswered, ...lookups(12, 404, 7), asked('4', 151, 'CREATED'), ...lookups(1, 404, 163)),
    ],
  ],
  [
    'BANK_UNAUTHORIZED',
    [
      onlyAsked(unanswered, ...lookups(12, 401, 7)),
      onlyAsked(unanswered, ...lookups(6, 401, 7), ...lookups(6, 403, 79)),
    ],
    [onlyAsked(unanswered, ...lookups(11, 401, 7)), onlyAsked(unanswered, ...lookups(12, 404, 7))],
  ],
  [
    'STATUS_UNKNOWN',
    [onlyAsked(shown, asked('4', 7, 'EN_REVISION'))],
    [
      onlyAsked(unanswered, ...lookups(12, 404, 7)),
      ...['CREATED', 'IN_PROGRESS', 'DELAYED', 'COMPLETED', 'FAILED'].map((status) =>
        onlyAsked(unanswered, asked('4', 7, status)),
      ),
    ],
  ],
])('a flag %s has its own cause in the book of the bank', (reason, cause, other) => {
  const flagged = journal(({ flags }) => ({ flags: firstRow(flags, () => ({ reasons: [reason] })) }));
  const sentencesOf = (change: Change) =>
    audit(all(flagged, change)(cleanBooks())).map(({ rule, sentence }) => `${rule}: ${sentence}`);
  for (const change of cause) expect(sentencesOf(change)).toEqual([]);
  for (const change of other)
    expect(sentencesOf(change)).toEqual([
      `flag-without-cause: flagged ${reason}, the bank's book shows no cause`,
    ]);
});

test('a transfer whose create never arrived may be open for too long, and no other without a create', () => {
  const flagged = journal(({ flags }) => ({
    flags: firstRow(flags, () => ({ reasons: ['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG'] })),
  }));
  const isLost = ({ originId, service }: BankRequest) => originId === '4' && service === 'transfer-request';
  const lost = bank(({ requests }) => ({ requests: requests.filter((it) => !isLost(it)) }));
  expect(audit(all(flagged, lost)(cleanBooks()))).toEqual([]);
  const silent = bank(({ requests }) => ({ requests: requests.filter(({ originId }) => originId !== '4') }));
  const reasons = audit(all(flagged, silent)(cleanBooks())).filter(
    ({ rule }) => rule === 'flag-without-cause',
  );
  expect(reasons.map(({ sentence }) => sentence)).toEqual([
    "flagged OUTCOME_UNKNOWN, the bank's book shows no cause",
    "flagged OPEN_TOO_LONG, the bank's book shows no cause",
  ]);
});

test('the journal may contradict a run that was reset between answers about two movements, and no other run', () => {
  const flagged = journal(({ flags }) => ({
    flags: [
      { ...flags[0]!, origin_id: '1', record_id: '0', reasons: ['JOURNAL_CONFLICT'] },
      { ...flags[0]!, origin_id: '1', record_id: '0', seq: '2', reasons: [] },
      ...flags,
    ],
  }));
  const twoMovements = bank(({ requests }) => ({
    requests: requests.map((it) =>
      it.originId === '1' && it.service === 'transfer-request' ? { ...it, movementId: '7' } : it,
    ),
  }));
  const reset: Change = (books) => ({
    ...books,
    histories: [...books.histories, { ...books.histories[0]!, runId: 'reset', completedAs: null }],
  });
  const rules = (...changes: readonly Change[]) =>
    audit(all(flagged, ...changes)(cleanBooks())).map(({ rule }) => rule);
  expect(rules(twoMovements, reset)).not.toContain('flag-without-cause');
  expect(rules(twoMovements)).toContain('flag-without-cause');
  expect(rules(reset)).toContain('flag-without-cause');
});

test('a repeat after twelve not-founds, and one that two operators decided, are no violations', () => {
  expect(audit(alsoAsked(sent('4', 690, null))(cleanBooks()))).toEqual([]);
  expect(audit(repeated(2)(cleanBooks()))).toEqual([]);
  const decided = all(
    alsoAsked(sent('4', 690, null), sent('4', 700, null)),
    journal(({ decision, events }) => ({
      decision: [
        ...decision,
        {
          ...{ origin_id: '4', seq: '2', record_id: '6', outcome: 'accepted', action: 'resend' },
          ...{ operator: 'luis', signature: 'armoured' },
          ...{ operators: ['ana', 'luis'], flags: [], recorded_at: iso(695) },
        },
      ],
      events: [...events, { cursor: 'f', kind: 'decision', originId: '4' }],
    })),
  );
  expect(audit(decided(cleanBooks()))).toEqual([]);
});

/** REFUSED by two operators, and the bank has the movement. */
const refusedByOperators = (twisted: Books['bank']['twisted']): Change =>
  all(
    bank(({ movements }) => ({ twisted, movements: [...movements, movement('3', 'IN_PROGRESS')] })),
    journal(({ result, decision, events: [a, b, c, d, ...rest] }) => ({
      result: result.map((it) =>
        it.origin_id === '3'
          ? { ...it, record_id: '7', result: { ...it.result, status: 'REFUSED', decidedBy: 'operators' } }
          : it,
      ),
      decision: [
        ...decision,
        {
          ...{ origin_id: '3', seq: '1', record_id: '6', outcome: 'accepted', action: 'accept-not-taken' },
          ...{ operator: 'luis', signature: 'armoured' },
          ...{ operators: ['ana', 'luis'], flags: [], recorded_at: iso(695) },
        },
      ],
      events: [a!, b!, c!, ...rest, { cursor: 'f', kind: 'decision', originId: '3' }, d!],
    })),
    (books) => ({
      ...books,
      histories: books.histories.map((it) => (it.originId === '3' ? { ...it, completedAs: 'REFUSED' } : it)),
    }),
  );

test('two operators may refuse what the bank shows as another payment, and nothing else that it has', () => {
  const wrong = { '3': { isWrong: true, isIncomplete: false } };
  expect(audit(refusedByOperators(wrong)(cleanBooks()))).toEqual([]);
  expect(audit(refusedByOperators({})(cleanBooks())).map(({ rule }) => rule)).toEqual(['not-taken']);
});

test.each([
  ['a run that was started again', { firstRunId: 'again', startedAt: iso(695) }],
  ['a reset', { firstRunId: 'run-4', startedAt: iso(0) }],
])('in skipped time %s is judged from the real end of the request before', (_, run) => {
  const rulesOf = (skippedToS: number): readonly string[] => {
    const before = { ...asked('4', 690, 404), giroTime: iso(698) };
    const request = { ...asked('4', 696, 404), giroTime: iso(skippedToS) };
    const change = all(alsoAsked(before, request), (books) => ({
      ...books,
      terms: { ...books.terms, clock: 'workflow' },
      histories: [...books.histories, { ...books.histories[3]!, ...run, runId: 'again' }],
      journal: {
        ...books.journal,
        request: books.journal.request.map((it) =>
          it.claimed_at === iso(695.995) ? { ...it, run_id: 'again' } : it,
        ),
      },
    }));
    return audit(change(cleanBooks())).map(({ rule }) => rule);
  };
  // The request before ended at 690.1.
  expect(rulesOf(695.2)).toEqual([]);
  expect(rulesOf(695)).toEqual(['cadence']);
});

test('in skipped time a task that timed out long ago is judged by the real gap', () => {
  const rulesOf = (atS: number): readonly string[] => {
    const before = { ...asked('4', 690, 404), giroTime: iso(698) };
    const request = { ...asked('4', atS, 404), giroTime: iso(694) };
    const change = all(alsoAsked(before, request), (books) => ({
      ...books,
      terms: { ...books.terms, clock: 'workflow' },
    }));
    return audit(change(cleanBooks())).map(({ rule }) => rule);
  };
  expect(rulesOf(696)).toEqual([]);
  expect(rulesOf(694)).toEqual(['cadence']);
});

test('an answer that came while its worker stood still does not put off the next request', () => {
  const during = { ...asked('4', 690, 404), finishedAt: iso(705) };
  const change = alsoAsked(during, asked('4', 700, 404));
  expect(audit(change(cleanBooks())).map(({ rule }) => rule)).toEqual(['cadence']);
  const standing: Change = (books) => ({
    ...books,
    terms: { ...books.terms, standstills: [{ from: iso(691), to: iso(705) }] },
  });
  expect(audit(all(change, standing)(cleanBooks()))).toEqual([]);
});

test('a status that was lost with its worker does not count, though it is reported and recorded again later', () => {
  const told = [asked('2', 61, 'DELAYED'), asked('2', 692, 'FAILED')];
  const unrecorded = journal(({ answer }) => ({
    answer: answer.map((it) => (it.origin_id === '2' ? { ...it, recorded_at: iso(61.2) } : it)),
  }));
  const change = all(
    bank(({ requests }) => ({ requests: requests.filter((it) => it.movementStatus !== 'FAILED') })),
    alsoAsked(...told),
    unrecorded,
  );
  expect(audit(change(cleanBooks()))).toEqual([]);
});

test('a request that a standstill held up after its claim is excused, and nothing else is', () => {
  const standing: Change = (books) => ({
    ...books,
    terms: { ...books.terms, standstills: [{ from: iso(640), to: iso(690) }] },
  });
  const claimed = (originId: string, number: number, seconds: number): Change =>
    journal(({ request }) => ({
      request: request.map((it) =>
        it.origin_id === originId && it.number === `${number}` ? { ...it, claimed_at: iso(seconds) } : it,
      ),
    }));
  const rulesOf = (...changes: readonly Change[]) =>
    new Set(audit(all(...changes, standing)(cleanBooks())).map(({ rule }) => rule));
  const create = alsoAsked(sent('1', 690.5, null));
  expect(rulesOf(create, claimed('1', 3, 639.9))).toEqual(new Set());
  expect(rulesOf(create, claimed('1', 3, 660))).toEqual(new Set());
  // Not excused: claimed after the standstill, or long before it.
  expect(rulesOf(create)).toEqual(new Set(['sent-again']));
  expect(rulesOf(create, claimed('1', 3, 600))).toEqual(new Set(['sent-again']));
  // Not excused: only the look-up's claim was before the standstill, not that of the create.
  const lookup = alsoAsked(sent('1', 690.5, null), asked('1', 690.6, 404));
  expect(rulesOf(lookup, claimed('1', 4, 639.9))).toContain('sent-again');
  const later = alsoAsked(sent('1', 694, null));
  expect(rulesOf(later, claimed('1', 3, 639.9))).toEqual(new Set(['sent-again']));
  // Two workers: one was held up, and its request arrives right after that of the other worker.
  const two = alsoAsked(asked('4', 689, 404), asked('4', 690.5, 404));
  expect(rulesOf(two, claimed('4', 16, 639.9))).toEqual(new Set());
  // Two creates arrive: excused if both claims were held up, but not if only one was.
  const twice = alsoAsked(sent('1', 690.2, null), sent('1', 690.6, null));
  expect(rulesOf(twice, claimed('1', 3, 639.9), claimed('1', 4, 650))).toEqual(new Set());
  expect(rulesOf(twice, claimed('1', 3, 639.9))).toEqual(new Set(['sent-again']));
  expect(rulesOf(two)).toEqual(new Set(['cadence']));
});

test('a create after a create that was answered with the movement, which then vanished', () => {
  const answered = (seconds: number): Change =>
    journal(({ answer }) => ({
      answer: [
        ...answer,
        {
          ...{ origin_id: '4', number: '1', bank_status: 'CREATED', recorded_at: iso(seconds) },
          ...ANSWERED,
        },
      ],
    }));
  const again = alsoAsked(sent('4', 690, 'CREATED'));
  const rulesOf = (change: Change) => audit(all(again, change)(cleanBooks())).map(({ rule }) => rule);
  expect(rulesOf((books) => books)).not.toContain('sent-again');
  expect(rulesOf(answered(1.2))).toContain('sent-again');
  // A worker that stood still recorded the answer when the repeat was claimed already.
  expect(rulesOf(answered(689.999))).not.toContain('sent-again');
});

test('a create after a look-up whose answer was lost with its worker is excused, after any other it is not', () => {
  const twelve = Array.from({ length: 12 }, (_, i) => asked('1', 500 + 12 * i, 404));
  const again = all(
    alsoAsked(...twelve, sent('1', 690, null)),
    told({ kind: 'no-answer', echo: null, bank_status: null }),
  );
  const rulesOf = (change: Change) => audit(change(cleanBooks())).map(({ rule }) => rule);
  const unrecorded = journal(({ answer }) => ({ answer: answer.filter(({ number }) => number !== '2') }));
  const struck: Change = (books) => ({
    ...books,
    terms: { ...books.terms, losses: [{ from: iso(7.2), to: iso(7.5) }] },
  });
  expect(rulesOf(all(again, unrecorded))).toContain('sent-again');
  expect(rulesOf(all(again, struck))).toContain('sent-again');
  expect(rulesOf(all(again, unrecorded, struck))).not.toContain('sent-again');
});

test('an inquiry about a debit that nobody had ordered yet is no request of the transfer', () => {
  const early = asked('1', -1, 404, { giroTime: null });
  const change = bank(({ requests }) => ({ requests: [early, early, ...requests] }));
  expect(audit(change(cleanBooks()))).toEqual([]);
  const timed = bank(({ requests }) => ({ requests: [{ ...early, giroTime: iso(-1) }, ...requests] }));
  expect(audit(timed(cleanBooks())).map(({ rule }) => rule)).toContain('unwritten');
});

test("an inquiry about a debit by the network's id is no request of the transfer that it turns out to be", () => {
  const byNetworkId = asked('1', 650, 'COMPLETED', { giroTime: null, bodySha256: 'b' });
  const also = (request: BankRequest) => bank(({ requests }) => ({ requests: [...requests, request] }));
  expect(audit(also(byNetworkId)(cleanBooks()))).toEqual([]);
  for (const unwritten of [{ bodySha256: 'a' }, { giroTime: iso(650) }, { service: 'transfer-request' }])
    expect(audit(also({ ...byNetworkId, ...unwritten })(cleanBooks())).map(({ rule }) => rule)).toContain(
      'unwritten',
    );
});

test('a verification ends as the bank says', () => {
  for (const [meaning, outcome] of [
    ['approved', 'rejected'],
    ['approved', null],
    [null, 'approved'],
  ] as const) {
    const change: Change = (books) => ({
      ...books,
      verifications: [{ requestId: 'first', bankWord: 'a word', meaning, outcome }],
    });
    expect(audit(change(cleanBooks())).map(({ rule }) => rule)).toEqual(['verification']);
  }
});

test('a reconciliation has a report, without breaks between books that agree', () => {
  const reported =
    (hasReport: boolean, ...breaks: { originId: string | null; class: string }[]): Change =>
    (books) => ({ ...books, reconciliation: { startedAt: iso(701), hasReport, breaks } });
  const rulesOf = (change: Change) => audit(change(cleanBooks())).map(({ rule }) => rule);
  expect(rulesOf(reported(false))).toEqual(['reconciliation']);
  expect(rulesOf(reported(true, { originId: '1', class: 'STATE_MISMATCH' }))).toEqual(['reconciliation']);
  expect(rulesOf(reported(true, { originId: '2', class: 'MISSING_ANNULMENT' }))).toEqual(['reconciliation']);
  // The reconciliation may have compared between the bank's FAILED and the annulment.
  const early: Change = (books) => ({
    ...books,
    reconciliation: { ...books.reconciliation!, startedAt: iso(640.5) },
  });
  const missing = reported(true, { originId: '2', class: 'MISSING_ANNULMENT' });
  expect(rulesOf(all(missing, early))).toEqual([]);
  // The reconciliation may have compared between the bank's final status and the result.
  const atStart: Change = (books) => ({
    ...books,
    reconciliation: { ...books.reconciliation!, startedAt: iso(0) },
  });
  const open = reported(true, { originId: '1', class: 'STATE_MISMATCH' });
  expect(rulesOf(all(open, atStart))).toEqual([]);
  // QUERY_ERROR is not about money. MISSING_AT_BANK is justified if the bank has once answered not-found.
  expect(rulesOf(reported(true, { originId: '1', class: 'QUERY_ERROR' }))).toEqual([]);
  const vanished = alsoAsked(asked('1', 60, 404));
  expect(rulesOf(all(vanished, reported(true, { originId: '1', class: 'MISSING_AT_BANK' })))).toEqual([]);
});

test('a movement id that the bank changes counts from an operator’s resume on', () => {
  const reported = (movementId: string, seconds: number) => ({
    ...{ ...ANSWERED, origin_id: '1', number: '2', bank_status: 'COMPLETED' },
    ...{ movement_id: movementId, recorded_at: iso(seconds) },
  });
  const other: Change = all(
    bank(({ requests }) => ({
      requests: requests.map((it) =>
        it.originId === '1' && it.service === 'get-movement' ? { ...it, movementId: '7' } : it,
      ),
    })),
    journal(({ result, answer }) => ({
      answer: [...answer, reported('91', 1.2), reported('7', 7.2)],
      result: firstRow(result, (it) => ({ result: { ...it.result, movementId: '7' } })),
    })),
  );
  const resumed = (seconds: number): Change =>
    journal(({ decision }) => ({
      decision: [
        ...decision,
        {
          ...{ origin_id: '1', seq: '1', record_id: '0', outcome: 'resumed', action: 'resume' },
          ...{
            operator: 'ana',
            signature: 'signed',
            operators: ['ana'],
            flags: [],
            recorded_at: iso(seconds),
          },
        },
      ],
    }));
  const rulesOf = (change: Change) =>
    audit(change(cleanBooks()))
      .map(({ rule }) => rule)
      .filter((rule) => rule === 'result');
  expect(rulesOf(other)).toEqual(['result']);
  expect(rulesOf(all(other, resumed(5)))).toEqual([]);
  // The resume came before the bank reported the first id.
  expect(rulesOf(all(other, resumed(0.5)))).toEqual(['result']);
  // The journal never recorded the answer with the first id.
  const unheard = journal(({ answer }) => ({ answer: answer.filter((it) => it.movement_id !== '91') }));
  expect(rulesOf(all(other, unheard))).toEqual([]);
  // A frozen worker recorded the answer with the first id only after the transfer had ended.
  const heardLate = journal(({ answer }) => ({
    answer: answer.map((it) => (it.movement_id === '91' ? { ...it, recorded_at: iso(3_000) } : it)),
  }));
  expect(rulesOf(all(other, heardLate))).toEqual([]);
});

test('a create with a wrong echo says nothing of the status', () => {
  const wrong: Change = all(
    bank(({ requests, movements }) => ({
      requests: [
        ...requests.filter(({ originId }) => originId !== '2'),
        sent('2', 1, 'DELAYED'),
        asked('2', 7, 'FAILED'),
      ],
      movements,
    })),
    (books) => ({ ...books, journal: { ...books.journal, request: claimsOf(books.bank.requests) } }),
  );
  const echo = (kind: string): Change =>
    journal(({ answer }) => ({ answer: firstRow(answer, () => ({ kind, echo: 'mismatch' })) }));
  const rulesOf = (change: Change) => audit(change(cleanBooks())).map(({ rule }) => rule);
  expect(rulesOf(wrong)).toEqual(['cadence']);
  expect(rulesOf(all(wrong, echo('answered')))).toEqual([]);
  expect(rulesOf(all(wrong, echo('movement')))).toEqual(['cadence', 'flag-missing']);
});

test('a decision that names the flag of an answer needs no row of flags', () => {
  const decided = (flags: readonly string[]): Change =>
    journal(({ decision }) => ({
      decision: [
        ...decision,
        {
          ...{ origin_id: '1', seq: '1', record_id: '9', outcome: 'resumed', action: 'resume', flags },
          ...{ operator: 'ana', signature: 'armoured', operators: ['ana'], recorded_at: iso(2) },
        },
      ],
    }));
  const rulesOf = (change: Change) => audit(change(cleanBooks())).map(({ rule }) => rule);
  const word = told({ bank_status: 'EN_REVISION' });
  expect(rulesOf(all(word, decided(['ECHO_MISMATCH'])))).toContain('flag-missing');
  expect(rulesOf(all(word, decided(['STATUS_UNKNOWN'])))).not.toContain('flag-missing');
});

test('an answer that came to nobody but a worker that stood still needs no flag', () => {
  const recorded = (seconds: number): Change =>
    told({ kind: 'movement', echo: 'mismatch', recorded_at: iso(seconds) });
  const rulesOf = (change: Change) => audit(change(cleanBooks())).map(({ rule }) => rule);
  // The next request was claimed after 7 s.
  expect(rulesOf(recorded(6))).toContain('flag-missing');
  expect(rulesOf(recorded(20))).not.toContain('flag-missing');
});

test('amounts are compared in centavos', () => {
  expect(['1', '1.5', '1.50', '90071992547409.93'].map(centavos)).toEqual([
    100n,
    150n,
    150n,
    9007199254740993n,
  ]);
  expect(['1.234', '', '-1', '1e3'].map(centavos)).toEqual([null, null, null, null]);
});
