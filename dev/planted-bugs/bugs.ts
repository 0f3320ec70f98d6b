/** A change of the product's source text. */
export interface Edit {
  readonly file: string;
  /** Occurs exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A plausible bug, and the tests that must notice it. */
export interface PlantedBug {
  /** What the product with this bug does wrong. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** Patterns of test files, tried one after the other until one fails. */
  readonly unit?: readonly string[];
  /** The same for tests that need servers. */
  readonly servers?: readonly string[];
}

const AFTER_CREATE = 'src/domain/transfer/after-create.ts';
const AFTER_LOOKUP = 'src/domain/transfer/after-lookup.ts';
const CADENCE = 'src/domain/transfer/cadence.ts';
const REPEAT = 'src/domain/transfer/repeat.ts';
const CLAIM = 'src/journal/statements/claim-request.ts';
const CREATE = 'src/activities/create-transfer.ts';
const WIRE = 'src/bank/apibank/movements/wire.ts';

/** The fast tests first. */
const RULES = [
  'judge-decision',
  'lateness',
  'flags',
  'view',
  'lost-runs',
  'properties',
  'decision-properties',
].map((name) => `test/domain/transfer/${name}.test`);
const STEPS = ['create-transfer', 'look-up-movement', 'numbered-request', 'receive-transfer'].map(
  (name) => `test/activities/${name}.test`,
);
const CREATE_OUTCOMES = ['answers', 'connection-faults', 'malformed-answers'].map(
  (name) => `test/bank/${name}.test`,
);

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a repeat of the create carries another originId',
    edits: [
      {
        file: CREATE,
        from: 'bank.createTransfer(judged.body,',
        to: 'bank.createTransfer(number === 1 ? judged.body : judged.body.replace(String(originId), String(originId + 1)),',
      },
    ],
    unit: STEPS,
    servers: ['test/e2e/transfer', 'test/simulate'],
  },
  {
    name: 'a create names the payee of an earlier order',
    edits: [
      {
        file: WIRE,
        from: 'function createBody(order: TransferOrder): string {',
        to: 'let payee: OrderParty | undefined;\nfunction createBody(order: TransferOrder): string {\n  payee ??= order.to;',
      },
      { file: WIRE, from: '"to":${party(order.to)}', to: '"to":${party(payee)}' },
    ],
    unit: ['test/bank/create-body'],
  },
  {
    name: 'a create that timed out is sent again at once',
    edits: [
      {
        file: AFTER_CREATE,
        from: "{ ...state, sends: withSend(state.sends, event), stage: { name: 'looking-up' } },\n        answer.error,",
        to: "{ ...state, sends: withSend(state.sends, event), stage: { name: 'sending' } },\n        answer.error,",
      },
    ],
    unit: RULES,
  },
  {
    name: 'a time-out of the create counts as "not sent"',
    edits: [
      {
        file: 'src/bank/movements/create-outcome.ts',
        from: 'if (!outcome.maybeWritten) return',
        to: "if (!outcome.maybeWritten || error.code === 'TIMEOUT') return",
      },
    ],
    unit: CREATE_OUTCOMES,
  },
  {
    name: 'HTTP 409 counts as a refusal',
    edits: [
      {
        file: 'src/bank/movements/create-outcome.ts',
        from: 'if (refused.statuses.includes(head.status))',
        to: 'if (refused.statuses.includes(head.status) || head.status === 409)',
      },
    ],
    unit: CREATE_OUTCOMES,
  },
  {
    name: 'a movement that is not found any more is annulled',
    edits: [
      {
        file: AFTER_LOOKUP,
        from: "if (state.bank.lastStatus !== null) return { ...state, flags: raise(state.flags, 'VANISHED', event.atMs) };",
        to: "if (state.bank.lastStatus !== null) return { ...state, stage: { name: 'ending', result: { ...refusedResult(state), status: 'FAILED' }, evidenceNumber: event.number, operators: [], sinceMs: event.atMs } };",
      },
    ],
    unit: RULES,
  },
  {
    name: 'an error of a look-up counts as "not found"',
    edits: [
      {
        file: AFTER_LOOKUP,
        from: 'return withUnauthorizedRun(state, answer.error, event.atMs);',
        to: 'return notFound(state, event);',
      },
    ],
    unit: RULES,
  },
  {
    name: 'eleven not-founds are enough',
    edits: [{ file: REPEAT, from: 'NOT_FOUND_CONFIRMATIONS = 12', to: 'NOT_FOUND_CONFIRMATIONS = 11' }],
    unit: RULES,
  },
  {
    name: 'a late answer to a request of a lost run is not read',
    edits: [
      {
        file: 'src/domain/transfer/after-receipt.ts',
        from: 'isUnanswered: lastRequest.answeredAtMs === null',
        to: 'isUnanswered: false',
      },
    ],
    unit: RULES,
  },
  {
    name: 'a late refusal counts although the journal has lost requests',
    edits: [{ file: AFTER_CREATE, from: ' && state.sends.isCountKnown !== false', to: '' }],
    unit: RULES,
  },
  {
    name: 'a fourth create may leave',
    edits: [{ file: REPEAT, from: 'SENDS_MAX = 3', to: 'SENDS_MAX = 4' }],
    unit: RULES,
  },
  {
    name: 'not-founds from before a repeat count for the next',
    edits: [
      {
        file: AFTER_CREATE,
        from: 'bank: { ...state.bank, notFoundRun: 0 },',
        to: 'bank: state.bank,',
      },
      {
        file: AFTER_LOOKUP,
        from: "bank: { ...state.bank, notFoundRun: 0 }, stage: { name: 'sending' }",
        to: "stage: { name: 'sending' }",
      },
    ],
    unit: RULES,
  },
  {
    name: 'a refusal of the second create ends the transfer as REFUSED',
    edits: [{ file: AFTER_CREATE, from: 'const first = state.sends.count === 0 &&', to: 'const first =' }],
    unit: RULES,
  },
  {
    name: 'a number that was claimed before is sent again',
    edits: [
      {
        file: CLAIM,
        from: '    if (row.claimed) {',
        to: "    if (row.claimed || row.before_kind === 'create') {",
      },
    ],
    unit: STEPS,
    servers: ['test/journal/claims', 'test/chaos/same-step-twice', 'test/chaos/killed-worker'],
  },
  {
    name: 'a create leaves without a number in the journal',
    edits: [
      {
        file: CLAIM,
        from: 'where $2::integer = last_number + 1 and',
        to: "where $3::text <> 'create' and $2::integer = last_number + 1 and",
      },
      {
        file: CLAIM,
        from: 'exists (select from claimed) as claimed,',
        to: "$3::text = 'create' or exists (select from claimed) as claimed,",
      },
    ],
    servers: ['test/journal/claims', 'test/e2e/transfer'],
  },
  {
    name: 'a look-up leaves before its number is written',
    edits: [
      {
        file: 'src/activities/look-up-movement.ts',
        from: 'const lateMs = request.lateMs + permit.waitedMs;',
        to: 'const lateMs = request.lateMs + permit.waitedMs;\n    await bank.getMovement({ originId: String(originId) }, { workflowTime, permit });',
      },
    ],
    unit: STEPS,
  },
  {
    name: 'a claim that is minutes old is still sent',
    edits: [
      {
        file: 'src/activities/numbered-request.ts',
        from: 'claimed.claimAgeMs > CLAIM_ANSWER_MS',
        to: 'claimed.claimAgeMs > 1_000 * CLAIM_ANSWER_MS',
      },
    ],
    unit: STEPS,
  },
  {
    name: 'a hint breaks the cadence',
    edits: [
      {
        file: CADENCE,
        from: 'const bound = statusGapMs(state);',
        to: 'const bound = state.hintedAtMs === null ? statusGapMs(state) : 0;',
      },
    ],
    unit: RULES,
  },
  {
    name: 'DELAYED is polled as often as IN_PROGRESS',
    edits: [
      {
        file: CADENCE,
        from: "bank.lastStatus === 'DELAYED' ? settings.pollDelayedMs",
        to: "bank.lastStatus === 'DELAYED' ? settings.pollActiveMs",
      },
    ],
    unit: RULES,
  },
  {
    name: 'the gap runs from the start of the request',
    edits: [
      {
        file: AFTER_LOOKUP,
        from: 'lastEndedAtMs: event.atMs + event.inFlightMs,',
        to: 'lastEndedAtMs: event.startedAtMs,',
      },
    ],
    unit: RULES,
  },
  {
    name: 'Retry-After is not kept',
    edits: [
      {
        file: AFTER_LOOKUP,
        from: 'notBeforeMs: event.atMs + (retryAfterOf(answer) ?? 0),',
        to: 'notBeforeMs: 0,',
      },
    ],
    unit: RULES,
  },
  {
    name: 'a hint that comes during a request is lost',
    edits: [
      {
        file: CADENCE,
        from: 'return hintedAtMs !== null && hintedAtMs > requestStartedAtMs ? hintedAtMs : null;',
        to: 'return hintedAtMs !== null && hintedAtMs < requestStartedAtMs - 1e12 ? hintedAtMs : null;',
      },
    ],
    unit: RULES,
  },
  {
    name: 'the echo of an answer is not compared',
    edits: [
      {
        file: 'src/bank/movements/observation.ts',
        from: 'const echo = order === null ? NOTHING_ORDERED : compareEcho(order, movement);',
        to: "const echo = order === null ? NOTHING_ORDERED : { ...compareEcho(order, movement), verdict: 'match' as const, fields: [], differing: [] };",
      },
    ],
    unit: ['test/bank/see-movement', ...STEPS],
  },
  {
    name: 'amounts are compared as doubles',
    edits: [
      {
        file: 'src/domain/echo.ts',
        from: 'return left !== null && left === canonicalNumber(b);',
        to: 'return left !== null && Number(left) === Number(canonicalNumber(b));',
      },
    ],
    unit: ['test/domain/echo'],
  },
  {
    name: 'amounts are read by way of a double',
    edits: [
      {
        file: 'src/domain/money.ts',
        from: "BigInt(integer + fraction.padEnd(2, '0'))",
        to: 'BigInt(Math.trunc(Number(input) * 100))',
      },
    ],
    unit: ['test/domain/money'],
  },
  {
    name: 'a second movement of one originId goes unnoticed',
    edits: [
      {
        file: 'src/domain/transfer/echo-state.ts',
        from: 'isOtherOrigin || movementIds.length > 1;',
        to: 'isOtherOrigin;',
      },
    ],
    unit: RULES,
  },
  {
    name: 'an id that comes with a later answer is ignored',
    edits: [
      {
        file: 'src/domain/transfer/movement-status.ts',
        from: 'networkId: seen.networkId ?? view.networkId,',
        to: 'networkId: view.status === null ? seen.networkId : view.networkId,',
      },
    ],
    unit: RULES,
  },
  {
    name: 'FAILED is recorded without an annulment',
    edits: [
      {
        file: 'src/domain/transfer/next-step.ts',
        from: "return stage.result.status === 'FAILED'",
        to: "return stage.result.status === 'FAILED' && stage.operators.length > 0",
      },
    ],
    unit: RULES,
  },
  {
    name: 'a retried annulment writes a second one',
    edits: [
      {
        file: 'src/journal/migrations/0002-transfers.sql',
        from: 'create table giro.annulment (\n  origin_id bigint primary key references giro.transfer (origin_id),\n  id uuid not null unique default',
        to: 'create table giro.annulment (\n  origin_id bigint references giro.transfer (origin_id),\n  id uuid primary key default',
      },
      {
        file: 'src/journal/statements/annulments.ts',
        from: '  where not exists (select from giro.result where origin_id = $1::bigint)\n  on conflict (origin_id) do nothing\n  returning id',
        to: '  returning id',
      },
      {
        file: 'src/journal/statements/annulments.ts',
        from: "|| jsonb_build_object('annulmentId', id) from annulled\n  returning result",
        to: "|| jsonb_build_object('annulmentId', id) from annulled\n  on conflict do nothing returning result",
      },
    ],
    servers: ['test/journal/annulments', 'test/journal/guards'],
  },
  {
    name: 'a run forgets its sends when it continues as new',
    edits: [
      {
        file: 'src/workflows/transfer.ts',
        from: '({ typedSearchAttributes })(order, state);',
        to: '({ typedSearchAttributes })(order, { ...state, sends: { ...state.sends, count: 0, firstAtMs: null } });',
      },
    ],
    servers: ['test/e2e/transfer', 'test/e2e/histories.server', 'test/e2e/asked-while-away'],
  },
  {
    name: 'a run acts on a hint for a query alone',
    edits: [
      {
        file: 'src/workflows/only-in-tasks.ts',
        from: 'jobs?.some(isNews)',
        to: 'jobs?.some((job) => isNews(job) && job.signalWorkflow == null)',
      },
    ],
    servers: ['test/workflows/queried-elsewhere'],
  },
  {
    name: 'a run goes on from a step of another worker’s task',
    edits: [
      {
        file: 'src/workflows/only-in-tasks.ts',
        from: 'localActivities > 0) throw',
        to: 'localActivities > 1) throw',
      },
    ],
    servers: ['test/workflows/queried-elsewhere'],
  },
  {
    name: 'a refusal of the journal is passed over in silence',
    edits: [
      {
        file: 'src/domain/transfer/apply.ts',
        from: '      return afterRefusal(state, event);',
        to: '      return state;',
      },
    ],
    unit: RULES,
  },
  {
    name: 'another end in the journal is taken for our own',
    edits: [
      {
        file: 'src/domain/transfer/apply.ts',
        from: 'return event.conflict\n',
        to: 'return event.conflict && false\n',
      },
    ],
    unit: RULES,
  },
  {
    name: 'a cancel withdraws a transfer that was sent',
    edits: [
      {
        file: 'src/domain/transfer/next-step.ts',
        from: '    !state.withdrawalDenied &&\n    state.sends.count === 0 &&\n',
        to: '    !state.withdrawalDenied &&\n',
      },
    ],
    unit: RULES,
  },
  {
    name: 'the emergency brake does not hold a claim',
    edits: [{ file: CLAIM, from: 'not denied and not held_back', to: 'not denied' }],
    servers: ['test/journal/sending', 'test/e2e/sending'],
  },
  {
    name: 'a look-up counts as a create that perhaps left',
    edits: [
      {
        file: 'src/journal/migrations/0002-transfers.sql',
        from: "where r.kind = 'create' and a.kind is distinct from 'not-sent'",
        to: "where a.kind is distinct from 'not-sent'",
      },
    ],
    servers: ['test/journal/creates', 'test/journal/doubts'],
  },
  {
    name: 'one operator under two spellings decides as two',
    edits: [{ file: 'src/domain/operator.ts', from: 'name.toLowerCase();', to: 'name;' }],
    unit: ['test/domain/operator', 'test/domain/transfer/judge-decision'],
  },
  {
    name: 'an order is sent though its row was changed',
    edits: [
      {
        file: 'src/activities/numbered-request.ts',
        from: 'orderFingerprint(order) === orderSha256 ?',
        to: 'orderSha256.length === 64 ?',
      },
      { file: CREATE, from: 'bodyFingerprint(body) !== bodySha256', to: 'bodySha256.length !== 64' },
    ],
    unit: STEPS,
    servers: ['test/e2e/forged-order', 'test/e2e/signed-orders'],
  },
  {
    name: 'account numbers pass into the log',
    edits: [
      {
        file: 'src/telemetry/redact-text.ts',
        from: '(?:[0-9][ -]?){21}[0-9](?![0-9])/g,',
        to: '(?:[0-9][ -]?){29}[0-9](?![0-9])/g,',
      },
    ],
    unit: ['test/telemetry/redact-text', 'test/telemetry/logger'],
  },
];
