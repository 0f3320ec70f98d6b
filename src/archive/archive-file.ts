import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

/**
 * An archive of answers: JSON, one object a line. The first line is a header. The last line counts the transfers and
 * answers between the two, which shows whether the file was cut off. No line contains personal data: an answer names
 * fields that differ from the order, not their values.
 */
const HEADER = z.strictObject({
  archive: z.literal('giro-answers'),
  version: z.literal(1),
  /** The transfers that ended in this span; null: since the beginning. */
  endedFrom: z.iso.datetime().nullable(),
  endedBefore: z.iso.datetime(),
});
export type ArchiveHeader = Pick<z.infer<typeof HEADER>, 'endedFrom' | 'endedBefore'>;

/** A transfer with its superseded answers (`giro.is_superseded`); `answer`: the JSON of `giro.answer_json`. */
const TRANSFER = z.strictObject({
  originId: z.int().positive(),
  orderSha256: z.string().regex(/^[0-9a-f]{64}$/),
  endedAt: z.iso.datetime({ offset: true }),
  answers: z
    .array(
      z.strictObject({
        number: z.int().positive(),
        recordId: z.int().positive(),
        recordedAt: z.iso.datetime({ offset: true }),
        digest: z.string(),
        answer: z.record(z.string(), z.unknown()),
      }),
    )
    .min(1),
});
export type ArchivedTransfer = z.infer<typeof TRANSFER>;

const END = z.strictObject({ transfers: z.int().nonnegative(), answers: z.int().nonnegative() });

export interface ArchiveSummary extends z.infer<typeof END> {
  /** SHA-256 of the file's bytes, as `sha256sum` prints it. */
  readonly sha256: string;
}

/** The file is not a complete archive. The message names the line and the broken rule, but no value. */
export class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem';
}

/** The lines of some transfers, and the number of answers in them. */
export interface ArchiveLines {
  readonly lines: readonly string[];
  readonly answers: number;
}

/**
 * Writes an archive that only this user can read. The file is named `<path>.part` until it is complete and on the disk.
 *
 * @throws errors of the file system
 */
export async function writeArchive(
  path: string,
  { endedFrom, endedBefore }: ArchiveHeader,
  pages: AsyncIterable<ArchiveLines>,
): Promise<ArchiveSummary> {
  const partPath = `${path}.part`;
  await rm(partPath, { force: true });
  const file = await open(partPath, 'wx', 0o600);
  const hash = createHash('sha256');
  let transfers = 0;
  let answers = 0;
  try {
    const write = async (lines: readonly string[]): Promise<void> => {
      const text = lines.map((line) => `${line}\n`).join('');
      hash.update(text);
      await file.writeFile(text);
    };
    await write([JSON.stringify({ archive: 'giro-answers', version: 1, endedFrom, endedBefore })]);
    for await (const page of pages) {
      await write(page.lines);
      transfers += page.lines.length;
      answers += page.answers;
    }
    await write([JSON.stringify({ transfers, answers })]);
    await file.sync();
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(partPath, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
  return { transfers, answers, sha256: hash.digest('hex') };
}

/** Transfers in a page. */
const PAGE_SIZE = 500;

export interface CheckedArchive extends ArchiveHeader, ArchiveSummary {
  /** A digest of each page: `archivePages` refuses a page that has changed since the check. */
  readonly pageDigests: readonly string[];
}

/**
 * Reads an archive to its end and checks every line.
 *
 * @throws {ArchiveProblem} and errors of the file system
 */
export async function checkArchive(path: string, pageSize = PAGE_SIZE): Promise<CheckedArchive> {
  const hash = createHash('sha256');
  const pageDigests: string[] = [];
  let page: string[] = [];
  let header: ArchiveHeader | null = null;
  let end: z.infer<typeof END> | null = null;
  let transfers = 0;
  let answers = 0;
  let at = 0;
  for await (const line of linesOf(path, hash)) {
    at += 1;
    if (end !== null) throw new ArchiveProblem(`line ${at}: nothing may follow the line with the counts`);
    const value = parse(line, at);
    if (header === null) {
      header = read(HEADER, value, at);
    } else if (typeof value === 'object' && value !== null && 'originId' in value) {
      transfers += 1;
      answers += read(TRANSFER, value, at).answers.length;
      page.push(line);
      if (page.length === pageSize) {
        pageDigests.push(digestOf(page));
        page = [];
      }
    } else {
      end = read(END, value, at);
    }
  }
  if (header === null || end === null) {
    throw new ArchiveProblem(`line ${at + 1}: missing, the file was cut off`);
  }
  if (end.transfers !== transfers || end.answers !== answers) {
    throw new ArchiveProblem(
      `line ${at}: says ${end.transfers} transfers and ${end.answers} answers, the file has ${transfers} and ${answers}`,
    );
  }
  if (page.length > 0) pageDigests.push(digestOf(page));
  const { endedFrom, endedBefore } = header;
  return { endedFrom, endedBefore, transfers, answers, sha256: hash.digest('hex'), pageDigests };
}

/**
 * The lines of a checked archive's transfers, in the same pages as in `checkArchive`.
 *
 * @throws {ArchiveProblem} in place of the first page that has changed since the check; also errors of the file system
 */
export async function* archivePages(
  path: string,
  { sha256, pageDigests }: Pick<CheckedArchive, 'sha256' | 'pageDigests'>,
  pageSize = PAGE_SIZE,
): AsyncGenerator<readonly string[]> {
  const hash = createHash('sha256');
  let pages = 0;
  const checked = (page: readonly string[]): readonly string[] => {
    if (digestOf(page) !== pageDigests[pages]) throw changed();
    pages += 1;
    return page;
  };
  let page: string[] = [];
  let isHeader = true;
  for await (const line of linesOf(path, hash)) {
    if (!isHeader && line.includes('"originId"')) page.push(line);
    isHeader = false;
    if (page.length === pageSize) {
      yield checked(page);
      page = [];
    }
  }
  if (page.length > 0) yield checked(page);
  if (hash.digest('hex') !== sha256) throw changed();
}

const changed = (): ArchiveProblem => new ArchiveProblem('it was changed meanwhile');

const digestOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex');

const LINE_FEED = 0x0a;
/** Enough for thousands of answers of one transfer. */
const LINE_MAX_BYTES = 16 * 1024 * 1024;

/** Splits at line feeds only: `readline` also splits at U+2028, which JSON text may contain. */
async function* linesOf(path: string, hash: ReturnType<typeof createHash>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    const bytes = chunk as Buffer;
    hash.update(bytes);
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let begin = 0;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED, begin)) {
      yield rest.toString('utf8', begin, end);
      begin = end + 1;
    }
    rest = rest.subarray(begin);
    if (rest.length > LINE_MAX_BYTES)
      throw new ArchiveProblem(`a line is longer than ${LINE_MAX_BYTES / 1024 / 1024} MiB`);
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

function parse(line: string, at: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ArchiveProblem(`line ${at}: no JSON`);
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown, at: number): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path = [], message = 'unknown rule' } = parsed.error.issues[0] ?? {};
  throw new ArchiveProblem(`line ${at}: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`);
}
