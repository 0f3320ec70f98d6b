import { ourBank } from '../bank/our-bank';
import { verifyBooks } from '../audit/verify-books';
import type { AuditReport } from '../audit/verify-books';
import type { Difference } from '../audit/difference';
import type { Need } from '../config/settings';
import { EXIT, InputError } from '../program/exit-codes';
import type { CommandIo } from '../program/io';
import { runCommand, withContext } from '../program/run';
import { instantArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { note, orDash, printJson, printLines } from './support/output';
import { startProgress } from './support/progress';

export const addAuditVerify: AddCommand = (parent, { io, end }) => {
  parent
    .command('verify')
    .description(
      'recompute fingerprints, annulments, evidence, proofs, signatures and the chain of reports; exit 3 when a record differs or cannot be checked',
    )
    .option(
      '--from <time>',
      'skip transfers that ended, and links that were recorded, before this time',
      instantArgument,
    )
    .option(
      '--expect <hash>',
      'head of the chain that you kept outside the journal: must be a link of the chain',
    )
    .option(
      '--signed-since <time>',
      'orders opened and decisions recorded since this time must be signed',
      instantArgument,
    )
    .option('--json', 'print the result as JSON')
    .action(async ({ from = null, expect, signedSince = null, json = false }: VerifyOptions) => {
      end(
        await runCommand(io, () =>
          withContext(io, NEEDS, async ({ journal, logger, orderSigners, decisionSigners }) => {
            const sha256 = expect === undefined ? null : readHash(expect);
            if (signedSince !== null && orderSigners() === null && decisionSigners === null)
              throw new InputError('--signed-since: neither ORDER_SIGNERS_FILE nor DECIDERS_FILE is set');
            const { count: total, isEstimate } = await journal.countTransfers();
            const progress = startProgress(io, logger, { doing: 'verifying transfers', total, isEstimate });
            let report: AuditReport;
            try {
              report = await verifyBooks({
                ...{ journal, from, expect: sha256 },
                means: {
                  createBody: ourBank.movements.createBody,
                  orderSigners: orderSigners(),
                  decisionSigners: decisionSigners?.current() ?? null,
                  signedSinceMs: signedSince === null ? null : Date.parse(signedSince),
                },
                onTransfer: (word) => progress.step(word),
              });
            } finally {
              progress.end();
            }
            if (json) printJson(io, report);
            else {
              tell(io, report, sha256 !== null);
              const isJudged = { orders: orderSigners() !== null, decisions: decisionSigners !== null };
              tellUnsigned(io, report, isJudged);
            }
            return report.outcome === 'OK' ? EXIT.done : EXIT.notCompleted;
          }),
        ),
      );
    });
};

const NEEDS = ['journal', 'orderSigners', 'decisionSigners'] as const satisfies readonly Need[];

interface VerifyOptions {
  readonly from?: string | null;
  readonly expect?: string;
  readonly signedSince?: string | null;
  readonly json?: boolean;
}

function readHash(text: string): string {
  const hash = text.toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new InputError('--expect: 64 hexadecimal digits');
  return hash;
}

function tell(io: CommandIo, report: AuditReport, isExpecting: boolean): void {
  const { outcome, transfers, notJudged, links, head, expected, differences, byRule, first } = report;
  printLines(io, [
    `${outcome}: ${transfers} transfers and ${links} links of the chain, ${differences} differences`,
    ...(first === null ? [] : ['', 'first record that differs:', ...differenceLines(first)]),
    ...(differences < 2 ? [] : ['', ...Object.entries(byRule).map(([rule, count]) => `${rule}: ${count}`)]),
    '',
    head === null
      ? 'no report has been recorded, so there is no chain yet'
      : `head: ${head.sha256}, link ${head.sequence}, up to ${head.cursor ?? 'no event'}`,
    ...(expected === null ? [] : [`the expected hash is link ${expected.sequence}`]),
  ]);
  if (notJudged > 0) {
    note(
      io,
      `giro: ${notJudged} orders are sealed under a key that CODEC_KEYS_FILE does not have: not checked`,
    );
  }
  if (isExpecting && expected === null && report.from !== null) {
    note(io, 'giro: with --from, only the links since that time are searched for the expected hash');
  }
  if (!isExpecting && head !== null) {
    note(io, 'giro: without --expect, a completely rewritten chain passes');
  }
}

function tellUnsigned(
  io: CommandIo,
  { unsigned }: AuditReport,
  isJudged: { readonly orders: boolean; readonly decisions: boolean },
): void {
  const lines = [
    isJudged.orders
      ? `${unsigned.orders} orders have no proof`
      : 'proofs of orders are not checked: ORDER_SIGNERS_FILE is not set',
    isJudged.decisions
      ? `${unsigned.decisions} decisions have no signature`
      : 'signatures of decisions are not checked: DECIDERS_FILE is not set',
  ];
  printLines(io, lines);
}

const differenceLines = ({ rule, table, originId, record, kept, expected }: Difference): string[] => [
  `  rule ${rule}, table giro.${table}${originId === null ? '' : `, originId ${originId}`}${record === null ? '' : `, ${record}`}`,
  `  kept      ${orDash(kept)}`,
  `  expected  ${orDash(expected)}`,
];
