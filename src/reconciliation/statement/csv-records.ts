import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Parser } from 'csv-parse';
import type { StatementMapping } from './mapping';
import { StatementProblem } from './statement-problem';
import type { FileRule } from './statement-problem';

const RECORD_BYTES_MAX = 65_536;

export interface FileSums {
  readonly hash: Hash;
  bytes: number;
}

export interface CsvRecord {
  readonly record: readonly string[];
  /** Line on which the record begins, from 1. */
  readonly line: number;
}

export async function* csvRecords(
  source: Readable,
  { encoding, delimiter, quote, skipLines }: StatementMapping,
  file: FileSums,
): AsyncGenerator<CsvRecord> {
  /** The line that the parser has reached; the parser is ahead of its reader. */
  let parsedTo = skipLines;
  let readTo = skipLines;
  const parser: Parser = parse({
    delimiter,
    quote: quote ?? false,
    // The parser's default is `"`, whatever the quote is.
    escape: quote ?? false,
    record_delimiter: '\n',
    // The reader judges empty lines and short records, because it knows their numbers.
    relax_column_count: true,
    max_record_size: RECORD_BYTES_MAX,
    info: true,
    on_record: (record, { lines }) => {
      parsedTo = skipLines + lines;
      return record;
    },
  });
  const text = Readable.from(withoutFirst(skipLines, decoded(source, encoding, file)));
  text.once('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of text.pipe(parser) as AsyncIterable<ParsedRecord>) {
      const line = readTo + 1;
      readTo = skipLines + info.lines;
      yield { record, line };
    }
  } catch (error) {
    const rule = ruleOf(error);
    throw rule === null ? error : new StatementProblem(rule, parsedTo + 1);
  } finally {
    source.destroy();
  }
}

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Drops the first lines unread: they need not be CSV. */
async function* withoutFirst(lines: number, text: AsyncIterable<string>): AsyncGenerator<string> {
  let left = lines;
  for await (let chunk of text) {
    for (; left > 0 && chunk !== ''; left -= 1) {
      const end = chunk.indexOf('\n');
      if (end === -1) {
        chunk = '';
        break;
      }
      chunk = chunk.slice(end + 1);
    }
    if (chunk !== '') yield chunk;
  }
}

/** Every line ends with a line feed, however it ends in the file. */
async function* decoded(
  source: Readable,
  encoding: StatementMapping['encoding'],
  file: FileSums,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  /** A carriage return at the end of a chunk: a line feed may follow. */
  let held = '';
  const lineFeeds = (text: string): string => {
    const all = held + text;
    held = all.endsWith('\r') ? '\r' : '';
    return all.slice(0, all.length - held.length).replace(/\r\n?/g, '\n');
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    file.hash.update(chunk);
    file.bytes += chunk.length;
    try {
      const text = lineFeeds(decoder.decode(chunk, { stream: true }));
      line += lineFeedsIn(text);
      yield text;
    } catch (error) {
      if (codeOf(error) !== UNDECODABLE) throw error;
      const [readable = ''] = new TextDecoder(encoding).decode(chunk).split('\uFFFD');
      throw new StatementProblem('ENCODING', line + lineFeedsIn(lineFeeds(readable)));
    }
  }
  yield lineFeeds(decoder.decode()) + (held === '' ? '' : '\n');
}

/** The error of a strict decoder. */
const UNDECODABLE = 'ERR_ENCODING_INVALID_ENCODED_DATA';

const lineFeedsIn = (text: string): number => text.split('\n').length - 1;

const RULES: Readonly<Record<string, FileRule>> = {
  [UNDECODABLE]: 'ENCODING',
  INVALID_OPENING_QUOTE: 'QUOTES',
  CSV_INVALID_CLOSING_QUOTE: 'QUOTES',
  CSV_QUOTE_NOT_CLOSED: 'QUOTES',
  CSV_MAX_RECORD_SIZE: 'RECORD_TOO_LARGE',
};

/** The parser's messages contain the file's content, so only its codes are used. Null: not the file's fault. */
function ruleOf(error: unknown): FileRule | null {
  return RULES[codeOf(error)] ?? (error instanceof CsvError ? 'NOT_CSV' : null);
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
