import { PHASES, phaseAfter, startOf } from '../../src/reconciliation/run-cursor';
import { readWindow, reconciliationWorkflowId, secondAfter } from '../../src/reconciliation/run-window';

const NOW = '2026-03-05T12:34:56.789Z';

test('the default window: three local days, that of the moment included', () => {
  expect(readWindow(null, NOW)).toEqual({
    ok: true,
    window: {
      asOf: '2026-03-05T12:34:56Z',
      from: '2026-03-03T03:00:00Z',
      to: '2026-03-05T12:34:56Z',
      isDefault: true,
      statementId: null,
    },
  });
});

test.each([
  // Two in the morning UTC is still the day before in Buenos Aires.
  ['2026-03-05T02:59:59Z', '2026-03-02T03:00:00Z'],
  ['2026-03-05T03:00:00Z', '2026-03-03T03:00:00Z'],
])('local midnight of %s', (asOf, from) => {
  expect(readWindow({ asOf }, NOW)).toMatchObject({ ok: true, window: { asOf, from, to: asOf } });
});

test('a window of the caller: in UTC, to the second', () => {
  const reading = readWindow({ from: '2026-01-01T00:00:00-03:00', to: '2026-01-02T00:00:00.5Z' }, NOW);
  expect(reading).toMatchObject({
    ok: true,
    window: { from: '2026-01-01T03:00:00Z', to: '2026-01-02T00:00:00Z', isDefault: false },
  });
});

test.each([
  ['text', ['the argument must be an object {asOf, from, to}']],
  [[], ['the argument must be an object {asOf, from, to}']],
  [{ asOf: 'yesterday' }, ['asOf: must be a time such as 2026-01-31T09:00:00Z']],
  [{ asOf: '2026-02-30T09:00:00Z' }, ['asOf: must be a time such as 2026-01-31T09:00:00Z']],
  [{ asOf: '2026-01-01' }, ['asOf: must be a time such as 2026-01-31T09:00:00Z']],
  [{ asOf: '0001-01-02T00:00:00Z' }, ['asOf: must be of the years 1970 to 9998']],
  [{ from: '1970-01-01T00:00:00+01:00' }, ['from: must be of the years 1970 to 9998']],
  [{ from: '0001-01-01T00:00:00+14:00' }, ['from: must be of the years 1970 to 9998']],
  [{ to: '9999-12-31T23:59:59-03:00' }, ['to: must be of the years 1970 to 9998']],
  [{ to: '9999-01-01T00:00:00Z' }, ['to: must be of the years 1970 to 9998']],
  [{ since: '2026-01-01' }, ['since: is not known']],
  [{ statementId: 0 }, ['statementId: must be that of a statement in the journal']],
  [{ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, ['from: must not be later than to']],
])('%j is refused', (input, problems) => {
  expect(readWindow(input, NOW)).toEqual({ ok: false, problems });
});

test('the first and the last window', () => {
  const reading = readWindow({ from: '1970-01-01T00:00:00Z', to: '9998-12-31T23:59:59Z' }, NOW);
  expect(reading).toMatchObject({ ok: true });
  expect(secondAfter('9998-12-31T23:59:59Z')).toBe('9999-01-01T00:00:00Z');
});

test('the id of a run is that of its moment', () => {
  expect(reconciliationWorkflowId('2026-03-05T12:34:56Z')).toBe('reconciliation-2026-03-05T12:34:56Z');
});

test('phases in their order; those of a statement only with one', () => {
  const order = (hasStatement: boolean): string[] => {
    const phases: string[] = [];
    let at: ReturnType<typeof phaseAfter> = startOf(hasStatement ? 'lines' : 'transfers');
    while (at !== null) {
      phases.push(at.phase);
      at = phaseAfter(at.phase, hasStatement);
    }
    return phases;
  };
  expect(order(true)).toEqual(PHASES);
  expect(order(false)).toEqual(['transfers', 'missing', 'engine', 'references', 'orphans']);
});
