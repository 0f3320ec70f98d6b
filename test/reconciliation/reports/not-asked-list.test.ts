import type { NotAsked, NotAskedPage } from '../../../src/reconciliation/report';
import { notAskedList } from '../../../src/reconciliation/reports/not-asked-list';
import type { NotAskedFormat } from '../../../src/reconciliation/reports/not-asked-list';

const made = (count: number): NotAsked[] =>
  Array.from({ length: count }, (_, i) => ({ originId: i + 1, book: 'bank', reason: 'BANK_UNREACHABLE' }));

/** A book of pages, as the journal gives them. */
const source = (all: readonly NotAsked[]) => ({
  notAsked: ({ after, limit }: NotAskedPage) => {
    const from = after === null ? 0 : all.findIndex(({ originId }) => originId === after.originId) + 1;
    return Promise.resolve(all.slice(from, from + limit));
  },
});

async function listed(all: readonly NotAsked[], format: NotAskedFormat): Promise<string> {
  let text = '';
  for await (const piece of notAskedList(source(all), '2026-03-05T09:00:00Z', format)) text += piece;
  return text;
}

test.each([0, 1, 999, 1_000, 1_001, 2_500])('all %d are there, in every format', async (count) => {
  const all = made(count);
  expect(JSON.parse(await listed(all, 'json'))).toEqual(all);
  const csv = (await listed(all, 'csv')).split('\r\n');
  expect(csv).toHaveLength(count + 2);
  expect(csv[0]).toBe('\uFEFF"originId","book","reason"');
  expect(csv.join('').lastIndexOf('\uFEFF')).toBe(0);
  const text = (await listed(all, 'text')).trimEnd().split('\n');
  expect(text).toHaveLength(Math.max(1, count));
  expect(text.at(-1)).toBe(count === 0 ? 'everything was checked' : `${count}  bank  BANK_UNREACHABLE`);
});
