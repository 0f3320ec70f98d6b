import { existsSync } from 'node:fs';
import { ArchiveProblem, archivePages, checkArchive, writeArchive } from '../archive/archive-file';
import type { ArchiveLines, ArchiveSummary } from '../archive/archive-file';
import type { Context } from '../context';
import type { Archive, ArchivePlace, ArchiveSpan } from '../journal/statements/archives';
import { EXIT, InputError } from '../program/exit-codes';
import type { ExitCode } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { runCommand, withContext } from '../program/run';
import { instantArgument, operatorArgument, osUser, reasonArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { fileProblem } from './support/input/read-text';
import { alignedTable, note, orDash, printJson, printLines } from './support/output';
import { startProgress } from './support/progress';

/** The journal refuses to delete answers of transfers that ended more recently (0015-archives.sql). */
const KEPT_DAYS = 365;
const DAY_MS = 86_400_000;
/** Transfers read by one statement. */
const PAGE = 500;

interface ExportOptions {
  readonly endedBefore: string;
  readonly endedSince?: string;
  readonly json?: boolean;
}

export const addArchiveExport: AddCommand = (parent, { io, end }) => {
  parent
    .command('export')
    .description('write the superseded answers of the bank to a new file; deletes nothing (docs/archives.md)')
    .argument('<file>', 'the archive to write; must not exist')
    .requiredOption(
      '--ended-before <time>',
      `transfers that ended before this time, which is at least ${KEPT_DAYS} days ago`,
      instantArgument,
    )
    .option(
      '--ended-since <time>',
      'and at this time or later (default: the latest end in `archive list`)',
      instantArgument,
    )
    .option('--json', 'print a JSON object')
    .action(async (file: string, options: ExportOptions) => {
      end(await runCommand(io, () => exportAnswers(io, file, options)));
    });
};

async function exportAnswers(
  io: CommandIo,
  path: string,
  { endedBefore, endedSince, json = false }: ExportOptions,
): Promise<ExitCode> {
  checkAge(endedBefore, '--ended-before');
  if (existsSync(path)) throw new InputError(`the file ${path} exists: choose another name`);
  return withContext(io, ['journal'], async ({ journal, logger }) => {
    const endedFrom = endedSince ?? (await journal.archives()).at(-1)?.endedBefore ?? null;
    if (endedFrom !== null && endedFrom >= endedBefore)
      throw new InputError(`--ended-before must be after ${endedFrom}, where this archive begins`);
    const { count: total } = await journal.countTransfers();
    const progress = startProgress(io, logger, { doing: 'reading ended transfers', total, isEstimate: true });
    const span = { endedFrom, endedBefore };
    const pages = pagesOf(journal, span, (word) => progress.step(word));
    const summary = await onFile(path, () => writeArchive(path, span, pages)).finally(() => progress.end());
    const exported = { file: path, ...span, ...summary };
    if (json) printJson(io, exported);
    else printLines(io, exportedLines(exported));
    return EXIT.done;
  });
}

async function* pagesOf(
  journal: Context<'journal'>['journal'],
  span: ArchiveSpan,
  step: (word: string) => void,
): AsyncGenerator<ArchiveLines> {
  for (let after: ArchivePlace | null = null; ;) {
    const page = await journal.supersededAnswers({ ...span, after, limit: PAGE });
    yield page;
    for (let i = 0; i < page.transfers; i++) step(i < page.lines.length ? 'exported' : 'kept whole');
    if (page.next === null) return;
    after = page.next;
  }
}

const exportedLines = ({
  file,
  answers,
  transfers,
  sha256,
}: ArchiveSummary & { readonly file: string }): string[] => [
  `${answers} answers of ${transfers} transfers`,
  `${sha256}  ${file}`,
  ...(transfers === 0
    ? ['nothing to prune']
    : ['', 'nothing is deleted yet: copy the file to where you keep records, then run `giro archive prune`']),
];

interface PruneOptions {
  readonly reason: string;
  readonly operator?: string;
  readonly json?: boolean;
}

export const addArchivePrune: AddCommand = (parent, { io, end }) => {
  parent
    .command('prune')
    .description(
      "delete from the journal the answers that an archive holds; needs the login of the journal's owner",
    )
    .argument('<file>', 'as `archive export` wrote it')
    .requiredOption('--reason <text>', 'why; recorded', reasonArgument)
    .option('--operator <name>', 'who; recorded (default: the login of this machine)', operatorArgument)
    .option('--json', 'print a JSON object')
    .action(async (file: string, options: PruneOptions) => {
      end(await runCommand(io, () => prune(io, file, options)));
    });
};

async function prune(
  io: CommandIo,
  path: string,
  { reason, operator = osUser(), json = false }: PruneOptions,
): Promise<ExitCode> {
  const { pageDigests, ...archive } = await onFile(path, () => checkArchive(path));
  if (archive.transfers === 0) throw new InputError(`the file ${path} holds no answers`);
  checkAge(archive.endedBefore, `the file ${path}`);
  return withContext(
    io,
    ['journal'],
    async ({ journal, logger }) => {
      /** Calls `work` for each page of the file, and shows the progress. */
      const eachPage = async (
        doing: string,
        work: (lines: readonly string[]) => Promise<void>,
      ): Promise<void> => {
        const progress = startProgress(io, logger, { doing, total: archive.transfers });
        try {
          await onFile(path, async () => {
            for await (const lines of archivePages(path, { sha256: archive.sha256, pageDigests })) {
              await work(lines);
              for (const _ of lines) progress.step('done');
            }
          });
        } finally {
          progress.end();
        }
      };
      await eachPage('comparing with the journal', async (lines) => {
        const originId = await journal.differingLine({ ...archive, lines });
        if (originId !== null)
          throw new InputError(
            `the file ${path} is not from this journal, or was changed: transfer ${originId}`,
          );
      });
      await journal.recordArchive({ ...archive, operator, reason });
      let deleted = 0;
      let kept = 0;
      await eachPage('deleting answers', async (lines) => {
        const page = await journal.deleteArchived(lines);
        deleted += page.deleted;
        kept += page.kept;
      });
      const gone = archive.answers - deleted - kept;
      if (json) printJson(io, { file: path, ...archive, deleted, kept, gone });
      else {
        printLines(io, [
          `${deleted} answers deleted${gone === 0 ? '' : `, ${gone} were gone already`}`,
          ...(kept === 0
            ? []
            : [`${kept} kept: something was recorded about their transfers since the export`]),
          `archive ${archive.sha256}`,
        ]);
        note(io, 'giro: PostgreSQL reuses the space after its next vacuum; the files do not become smaller');
      }
      return EXIT.done;
    },
    'login',
  );
}

export const addArchiveList: AddCommand = (parent, { io, end }) => {
  parent
    .command('list')
    .description('archives whose answers were deleted from the journal, oldest first')
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      end(
        await runCommand(io, () =>
          withContext(io, ['journal'], async ({ journal }) => {
            const archives = await journal.archives();
            if (json) printJson(io, archives);
            else printLines(io, archives.length === 0 ? ['no archives'] : archiveTable(archives));
            return EXIT.done;
          }),
        ),
      );
    });
};

const archiveTable = (archives: readonly Archive[]): string[] =>
  alignedTable(
    ['ENDED FROM', 'ENDED BEFORE', 'TRANSFERS', 'ANSWERS', 'BY', 'AT', 'SHA256'],
    archives.map(({ endedFrom, endedBefore, transfers, answers, operator, recordedAt, sha256 }) => [
      ...[orDash(endedFrom), endedBefore, String(transfers), String(answers), operator, recordedAt, sha256],
    ]),
  );

function checkAge(endedBefore: string, what: string): void {
  if (Date.parse(endedBefore) > Date.now() - KEPT_DAYS * DAY_MS)
    throw new InputError(`${what}: answers are kept for ${KEPT_DAYS} days after the end of their transfer`);
}

async function onFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveProblem) throw new InputError(`the file ${path}: ${error.message}`);
    const problem = fileProblem(error);
    if (problem !== null) throw new InputError(`the file ${path} ${problem}`);
    throw error;
  }
}
