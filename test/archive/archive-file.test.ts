import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archivePages, checkArchive, writeArchive } from '../../src/archive/archive-file';
import type { ArchivedTransfer, ArchiveLines } from '../../src/archive/archive-file';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'giro-archive-'));
});
afterEach(() => rm(folder, { recursive: true }));

const SPAN = { endedFrom: null, endedBefore: '2025-01-01T00:00:00.000Z' };

const transfer = (originId: number, text = 'CREATED'): ArchivedTransfer => ({
  originId,
  orderSha256: 'ab'.repeat(32),
  endedAt: '2024-05-05T10:00:00.123456+00:00',
  answers: [
    {
      ...{ number: 1, recordId: originId, recordedAt: '2024-05-05T10:00:00.1+00:00', digest: 'd' },
      answer: { kind: 'answered', movement: { status: text } },
    },
  ],
});

const pages = async function* (
  ...each: readonly (readonly ArchivedTransfer[])[]
): AsyncGenerator<ArchiveLines> {
  for (const page of each)
    yield await Promise.resolve({ lines: page.map((one) => JSON.stringify(one)), answers: page.length });
};

const collected = async (path: string, pageSize: number): Promise<string[][]> => {
  const found: string[][] = [];
  for await (const page of archivePages(path, await checkArchive(path, pageSize), pageSize))
    found.push([...page]);
  return found;
};

test('what is written is read again, line by line, with the hash of the file', async () => {
  const path = join(folder, 'archive');
  // JSON may contain U+2028, which some readers take for the end of a line.
  const all = [transfer(1), transfer(2, 'a\u2028b'), transfer(3, 'x'.repeat(200_000))];
  const written = await writeArchive(path, SPAN, pages(all.slice(0, 2), [], all.slice(2)));
  expect(written).toEqual({
    ...{ transfers: 3, answers: 3 },
    sha256: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  });
  expect(await checkArchive(path)).toMatchObject({ ...SPAN, ...written });
  const lines = all.map((one) => JSON.stringify(one));
  expect(await collected(path, 2)).toEqual([lines.slice(0, 2), lines.slice(2)]);
  expect(await collected(path, 3)).toEqual([lines]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['archive']);
});

test.each([
  ['another answer', (text: string) => text.replace('DELAYED', 'CREATED'), 1],
  [
    'a transfer more',
    (text: string) => text.replace(/(\{"transfers")/, `${JSON.stringify(transfer(9))}\n$1`),
    1,
  ],
  ['a transfer less', (text: string) => text.replace(/.*"originId":2.*\n/, ''), 1],
  ['other counts', (text: string) => text.replace('"answers":3', '"answers":4'), 2],
])('a file that changes after it was checked (%s): no changed page is read', async (_, change, unchanged) => {
  const path = join(folder, 'archive');
  await writeArchive(path, SPAN, pages([transfer(1), transfer(3), transfer(2, 'DELAYED')]));
  const checked = await checkArchive(path, 2);
  await writeFile(path, change(await readFile(path, 'utf8')));
  let read = 0;
  const readAll = async (): Promise<void> => {
    for await (const page of archivePages(path, checked, 2)) read += page.length === 0 ? 0 : 1;
  };
  await expect(readAll()).rejects.toThrow('it was changed meanwhile');
  expect(read).toBe(unchanged);
});

test('a line that does not end is found', async () => {
  const path = join(folder, 'archive');
  await writeFile(path, Buffer.alloc(17 * 1024 * 1024, ' '));
  await expect(checkArchive(path)).rejects.toThrow('a line is longer than 16 MiB');
});

test('if a page cannot be read, no file is left', async () => {
  const failing = async function* (): AsyncGenerator<ArchiveLines> {
    yield* pages([transfer(1)]);
    throw new Error('the journal is gone');
  };
  await expect(writeArchive(join(folder, 'archive'), SPAN, failing())).rejects.toThrow('the journal is gone');
  expect(await readdir(folder)).toEqual([]);
});

const HEADER = JSON.stringify({ archive: 'giro-answers', version: 1, ...SPAN });
const LINE = JSON.stringify(transfer(1));
const END = JSON.stringify({ transfers: 1, answers: 1 });

test.each([
  ['an empty file', [], 'line 1: missing, the file was cut off'],
  ['no counts', [HEADER, LINE], 'line 3: missing, the file was cut off'],
  ['half a line', [HEADER, LINE.slice(0, 50)], 'line 2: no JSON'],
  ['a transfer less', [HEADER, END], 'line 2: says 1 transfers and 1 answers, the file has 0 and 0'],
  [
    'something after the counts',
    [HEADER, LINE, END, LINE],
    'line 4: nothing may follow the line with the counts',
  ],
  ['no header', [LINE, END], 'line 1: archive: '],
  ['a later version', [HEADER.replace('1', '2'), LINE, END], 'line 1: version: '],
  ['another field', [HEADER, LINE.replace('"number":1', '"number":"1"'), END], 'line 2: answers.0.number: '],
])('%s: the message names the line and the rule', async (_, lines, message) => {
  const path = join(folder, 'archive');
  await writeFile(path, lines.map((line) => `${line}\n`).join(''));
  await expect(checkArchive(path)).rejects.toThrow(message);
});
