import fc from 'fast-check';
import {
  recordableKycStatus,
  foldStatus,
  meaningOf,
  statusMap,
} from '../../../src/domain/verification/status-map';
import type { StatusMap } from '../../../src/domain/verification/status-map';
import { isRequestId } from '../../../src/domain/verification/request-id';
import { endsVerification, seeStatus } from '../../../src/domain/verification/see-status';

function mapOf(...statuses: Parameters<typeof statusMap>[0]): StatusMap {
  const read = statusMap(statuses);
  if (!read.ok) throw new Error('ambiguous');
  return read.map;
}

const MAP = mapOf(
  { status: 'Pendiente', meaning: 'pending' },
  { status: 'Aprobado', meaning: 'approved' },
  { status: 'Rechazado', meaning: 'rejected' },
);
const hash = () => 'ABCDEF12';
const see = (status: string, requestId: string | null = 'r-1', lastStatus: string | null = null) =>
  seeStatus({ requestId, status, statusDate: null }, { requestId: 'r-1', lastStatus }, MAP, hash);

describe('statuses compare without case, accents and outer spaces', () => {
  it.each([
    ['APROBADO', 'Aprobado'],
    ['  aprobádo\n', 'Aprobado'],
    ['Aproba\u0301do', 'Aprobádo'],
    ['EN REVISIÓN', 'en revision'],
    ['İ', 'i'],
  ])('%j is %j', (a, b) => {
    expect(foldStatus(a)).toBe(foldStatus(b));
  });
  it.each([
    ['Aprobado.', 'Aprobado'],
    ['En  revisión', 'En revisión'],
    ['Desaprobado', 'Aprobado'],
    // Struck out, and in a ring: marks that say something else than the letters.
    ['A\u0336p\u0336r\u0336o\u0336b\u0336a\u0336d\u0336o\u0336', 'Aprobado'],
    ['Aprobado\u20dd', 'Aprobado'],
    // Cyrillic А, which looks the same.
    ['Аprobado', 'Aprobado'],
  ])('%j is not %j', (a, b) => {
    expect(foldStatus(a)).not.toBe(foldStatus(b));
  });
});

describe('an outcome', () => {
  it('needs a mapped status in an answer that names the request', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom(' aprobado ', 'RECHAZÁDO', 'Pendiente', 'no aprobado', 'aprobado?'),
          fc.string({ unit: 'grapheme' }),
        ),
        fc.constantFrom('r-1', 'r-2', 'R-1', 'r-1 ', null),
        (word, requestId) => {
          const seen = see(word, requestId);
          if (requestId !== null && requestId !== 'r-1') {
            expect(seen).toBeNull();
            return;
          }
          const meant = meaningOf(MAP, word);
          const mapped = foldStatus(word) === 'aprobado' || foldStatus(word) === 'rechazado';
          expect(seen && endsVerification(seen)).toBe(mapped && requestId === 'r-1');
          if (mapped) expect(seen?.meaning).toBe(meant);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('by default only Pendiente is mapped, and means none', () => {
    expect(meaningOf(new Map([['pendiente', 'pending']]), 'Aprobado')).toBeNull();
  });

  it.each([
    ['Aprobado', 'Pendiente', true],
    ['Aprobado', 'Rechazado', true],
    ['Aprobado', 'En duda', true],
    ['APROBÁDO', 'Aprobado', false],
    ['Pendiente', 'Aprobado', false],
    ['UNREADABLE_ABCDEF12', 'Pendiente', false],
  ])('%s and then %s: left is %s', (before, now, left) => {
    expect(see(now, 'r-1', before)?.leftFinal).toBe(left);
  });
});

test('a final status that contradicts the one before ends nothing yet', () => {
  const contradicts = see('Aprobado', 'r-1', 'Rechazado');
  const again = see('Aprobado', 'r-1', 'Aprobado');
  expect([contradicts && endsVerification(contradicts), again && endsVerification(again)]).toEqual([
    false,
    true,
  ]);
});

describe('the map', () => {
  it('of two spellings with two meanings is none, and names them', () => {
    const statuses = [
      { status: 'Aprobado', meaning: 'approved' },
      { status: ' APROBÁDO', meaning: 'pending' },
    ] as const;
    expect(statusMap(statuses)).toEqual({ ok: false, ambiguous: ['Aprobado', ' APROBÁDO'] });
  });
});

describe('which part of a status may be recorded', () => {
  it.each([
    [' En revisión ', 'En revisión'],
    ['a'.repeat(40), 'a'.repeat(40)],
    ['a'.repeat(41), 'UNREADABLE_ABCDEF12'],
    ['Juan 27361705039', 'UNREADABLE_ABCDEF12'],
    ['EN_REVISION', 'UNREADABLE_ABCDEF12'],
    ['', 'UNREADABLE_ABCDEF12'],
  ])('%j: %j', (word, recorded) => {
    expect(recordableKycStatus(word, MAP, hash)).toBe(recorded);
  });
  it('a status of the map is recorded as reported, because the operator wrote it', () => {
    const map = mapOf({ status: 'EN_REVISION-2', meaning: 'pending' });
    expect(recordableKycStatus('en_revision-2', map, hash)).toBe('en_revision-2');
  });
  it('a status of the map with accents without end keeps its meaning, and is not recorded', () => {
    const endless = `Aprobado${'\u0301'.repeat(300)}`;
    expect(see(endless)).toMatchObject({ status: 'UNREADABLE_ABCDEF12', meaning: 'approved' });
  });
});

test.each([
  ['7f3c-1', true],
  ['a', true],
  ['a/b?c=d&e#f%20', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['-x', false],
  ['a b', false],
  ['a\nb', false],
  ['a"b', false],
  ['ñ', false],
  [7, false],
  [null, false],
])('%j is a requestId: %s', (value, is) => {
  expect(isRequestId(value)).toBe(is);
});
