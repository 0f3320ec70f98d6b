import { oneLine } from '../../domain/printable';
import type { NotAsked, NotAskedPage } from '../report';
import { csvText } from './csv-report';

const PAGE = 1_000;
const COLUMNS = ['originId', 'book', 'reason'] as const;

export type NotAskedFormat = 'text' | 'json' | 'csv';

interface Source {
  notAsked(page: NotAskedPage): Promise<readonly NotAsked[]>;
}

/**
 * Everything that a run could not check, by originId, in pieces of text: `json` is one array, `csv` RFC 4180 with a
 * header, `text` one line for each item. Only one page is in memory at a time.
 */
export async function* notAskedList(
  source: Source,
  asOf: string,
  format: NotAskedFormat,
): AsyncGenerator<string, void, undefined> {
  const { head, piece, foot } = WRITERS[format];
  yield head;
  let isFirst = true;
  for await (const page of pagesOf(source, asOf)) {
    yield piece(page, isFirst);
    isFirst = false;
  }
  yield foot(isFirst);
}

async function* pagesOf(source: Source, asOf: string): AsyncGenerator<readonly NotAsked[]> {
  for (let after: NotAsked | null = null; ;) {
    const page: readonly NotAsked[] = await source.notAsked({ asOf, after, limit: PAGE });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1) ?? null;
  }
}

interface Writer {
  readonly head: string;
  readonly piece: (page: readonly NotAsked[], isFirst: boolean) => string;
  readonly foot: (isEmpty: boolean) => string;
}

const cells = ({ originId, book, reason }: NotAsked) => [originId, book, reason] as const;

const WRITERS: Readonly<Record<NotAskedFormat, Writer>> = {
  text: {
    head: '',
    piece: (page) => page.map((one) => `${oneLine(cells(one).join('  '))}\n`).join(''),
    foot: (isEmpty) => (isEmpty ? 'everything was checked\n' : ''),
  },
  json: {
    head: '[',
    piece: (page, isFirst) =>
      page.map((one, i) => `${isFirst && i === 0 ? '' : ','}\n  ${JSON.stringify(one)}`).join(''),
    foot: (isEmpty) => (isEmpty ? ']\n' : '\n]\n'),
  },
  csv: {
    head: csvText([COLUMNS]),
    // Only the head has the byte order mark.
    piece: (page) => csvText(page.map(cells)).slice(1),
    foot: () => '',
  },
};
