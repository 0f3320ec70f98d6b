import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { DEFAULT_NOT_FOUND, DEFAULT_REFUSED } from '../../src/bank/http/answer-codes';
import { ourBank } from '../../src/bank/our-bank';
import { judgeCreate } from '../../src/bank/movements/create-outcome';
import type { HttpOutcome } from '../../src/bank/http/http-outcome';
import { parseJson, stringifyJson } from '../../src/bank/http/json';
import { judgeLookup } from '../../src/bank/movements/lookup-outcome';
import { MOVEMENT_TEXT, ORDER, seeMovement } from './fixtures';
import { mutateTree, treeMutation } from './tree-mutations';

/** Good answers, damaged at random: nothing throws, and no answer about another transfer ends this one. */

const STRUCTURAL_RUNS = 20_000;
const BYTE_RUNS = 10_000;
const COMPRESSED_RUNS = 3_000;

/** Counts of what a property has met: a fuzz test that produces only garbage would prove nothing. */
type Tally = Map<string, number>;

// A colon, so that not even a mutated place lets the name through as an id or a network's name.
const FINAL_TEXT = MOVEMENT_TEXT.replace('IN_PROGRESS', 'COMPLETED').replaceAll('CANARY ', 'CANARY: ');

test(`${STRUCTURAL_RUNS} movements changed in their structure`, () => {
  const tally: Tally = new Map();
  const httpStatus = fc.oneof(
    { weight: 9, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.integer({ min: 100, max: 599 }) },
  );
  fc.assert(
    fc.property(fc.array(treeMutation, { maxLength: 4 }), httpStatus, (mutations, status) => {
      const json = parseJson(FINAL_TEXT);
      const root = { movement: json.ok ? json.value : null };
      for (const mutation of mutations) mutateTree(root, mutation);
      const text = stringifyJson(root.movement);
      judgeBoth({ bytes: Buffer.from(text), text, status, encoding: null }, tally);
    }),
    { numRuns: STRUCTURAL_RUNS },
  );
  expectMet(tally, ['match', 'incomplete', 'mismatch', 'NOT_A_MOVEMENT', 'HTTP_STATUS', 'REDIRECT']);
});

const damage = fc.record({
  at: fc.nat(2_000),
  how: fc.constantFrom('flip', 'put', 'cut-off', 'cut-out', 'repeat'),
  byte: fc.nat(255),
  length: fc.integer({ min: 1, max: 40 }),
});
const damages = fc.array(damage, { maxLength: 2 });
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

test(`${BYTE_RUNS} movements with bytes flipped, put, cut and repeated`, () => {
  const tally: Tally = new Map();
  fc.assert(
    fc.property(damages, (list) => {
      const bytes = list.reduce(damaged, Buffer.from(FINAL_TEXT));
      judgeBoth({ bytes, text: bytes.toString('utf8'), status: 200, encoding: null }, tally);
    }),
    { numRuns: BYTE_RUNS },
  );
  expectMet(tally, ['match', 'incomplete', 'mismatch', 'UNREADABLE', 'NOT_A_MOVEMENT']);
});

test(`${COMPRESSED_RUNS} compressed movements with the same done to them`, () => {
  const tally: Tally = new Map();
  const compressed = gzipSync(FINAL_TEXT);
  fc.assert(
    fc.property(damages, (list) => {
      // gzip has a checksum: what still unpacks is what was packed.
      const bytes = list.reduce(damaged, Buffer.from(compressed));
      judgeBoth({ bytes, text: FINAL_TEXT, status: 200, encoding: 'gzip' }, tally);
    }),
    { numRuns: COMPRESSED_RUNS },
  );
  expectMet(tally, ['match', 'UNREADABLE']);
});

interface Given {
  readonly bytes: Buffer;
  /** The decoded text, for a reading that shares no code with the product's. */
  readonly text: string;
  readonly status: number;
  readonly encoding: string | null;
}

function judgeBoth({ bytes, text, status, encoding }: Given, tally: Tally): void {
  const outcome: HttpOutcome = {
    kind: 'response',
    head: { status, contentType: 'application/json', contentEncoding: encoding, retryAfter: null },
    body: bytes,
  };
  const replies = [
    judgeCreate(outcome, DEFAULT_REFUSED, ourBank.movements, 0),
    judgeLookup(outcome, DEFAULT_NOT_FOUND, ourBank.movements, 0),
  ] as const;
  for (const reply of replies) {
    // A response came, so the request has left.
    if (reply.kind === 'not-sent') throw new Error('an answered create counts as not sent');
    if (!('movement' in reply)) {
      count(tally, 'error' in reply ? reply.error.code : reply.kind);
      expectNothingPersonal(reply);
      continue;
    }
    if (status < 200 || status > 299) throw new Error(`a movement came out of HTTP ${status}`);
    const seen = seeMovement(ORDER, reply);
    count(tally, seen.echo);
    expectNothingPersonal(seen);
    const isFinal = seen.status === 'COMPLETED' || seen.status === 'FAILED';
    if (isFinal && seen.echo === 'match' && !endsOurOrder(text, seen.status)) {
      throw new Error(`${seen.status} was taken from ${text}`);
    }
  }
}

/** The order's values, read with the platform's own JSON and numbers: absent is allowed only where it decides nothing. */
function endsOurOrder(text: string, word: string): boolean {
  const movement = JSON.parse(text.replace(/^\uFEFF/, '')) as Answer;
  const { details, counterparty, thisSubAccount } = movement;
  const owners = [thisSubAccount?.owners ?? []].flat();
  const holders = owners.map((owner) => owner?.personId).filter((id) => !isAbsent(id));
  return (
    movement.status === word &&
    Number(details?.originId) === ORDER.originId &&
    Number(details?.amount) === Number(ORDER.body.amount) &&
    Number(details?.amountCurrency) === Number(ORDER.body.currencyId) &&
    isAbsentOr(counterparty?.accountRouting?.address, ORDER.to.address) &&
    isAbsentOr(counterparty?.personId, ORDER.to.owner.personId) &&
    isAbsentOr(thisSubAccount?.accountRouting?.address, ORDER.from.address) &&
    (holders.length === 0 || holders.some((id) => isAbsentOr(id, ORDER.from.owner.personId)))
  );
}

interface Party {
  personId?: unknown;
  accountRouting?: { address?: unknown } | null;
}
interface Answer {
  status?: unknown;
  details?: { originId?: unknown; amount?: unknown; amountCurrency?: unknown } | null;
  counterparty?: Party | null;
  thisSubAccount?: {
    owners?: (Party | null) | (Party | null)[];
    accountRouting?: Party['accountRouting'];
  } | null;
}

const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
/** A JSON number has no leading zeros and, as a double, only its first digits. */
const isAbsentOr = (value: unknown, ordered: string): boolean =>
  isAbsent(value) ||
  (typeof value === 'number'
    ? value === Number(ordered)
    : asText(value).replace(/[\s.\-/]/g, '') === ordered);

const PERSONAL = /CANARY|PEREZ|Núñez|@|Siempreviva|[<>]/;

function expectNothingPersonal(value: object): void {
  const text = JSON.stringify({ ...value, evidenceSha256: null });
  if (PERSONAL.test(text)) throw new Error(`personal text left: ${text}`);
}

function damaged(bytes: Buffer, { at: anywhere, how, byte, length }: Damage): Buffer {
  if (bytes.length === 0) return bytes;
  const at = anywhere % bytes.length;
  const [before, part, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ];
  switch (how) {
    case 'flip':
      return Buffer.concat([
        before,
        Buffer.from([bytes.readUInt8(at) ^ (1 << (byte % 8))]),
        bytes.subarray(at + 1),
      ]);
    case 'put':
      return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at + 1)]);
    case 'cut-off':
      return before;
    case 'cut-out':
      return Buffer.concat([before, after]);
    case 'repeat':
      return Buffer.concat([before, part, part, after]);
  }
}

const count = (tally: Tally, end: string): void => void tally.set(end, (tally.get(end) ?? 0) + 1);

function expectMet(tally: Tally, ends: readonly string[]): void {
  const rare = ends.filter((end) => (tally.get(end) ?? 0) < 20);
  expect({ rare, tally: rare.length === 0 ? {} : Object.fromEntries(tally) }).toEqual({
    rare: [],
    tally: {},
  });
}
