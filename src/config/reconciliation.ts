import { isAbsolute } from 'node:path';
import { MAX_RPS } from './bank';
import { accept, duration, refuse, wholeNumber } from './formats';
import type { Parsed } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

export interface ReconciliationConfig {
  /** Inquiries per second to the bank from one worker; 0: only `BANK_MAX_RPS` limits them. */
  readonly maxRps: number;
  /** How long the details of runs are kept. */
  readonly keepMs: number;
  /** Program that stores the head of the chain elsewhere, and its first arguments; null: none. */
  readonly headCommand: HeadCommand | null;
}

export interface HeadCommand {
  /** Absolute path. */
  readonly program: string;
  readonly args: readonly string[];
}

/** The journal refuses to delete younger rows. */
const KEEP_MIN_MS = 31 * 86_400_000;

/** A path alone, or a JSON array of the path and its first arguments. No shell interprets them. */
function headCommand(text: string): Parsed<HeadCommand> {
  const words = text.startsWith('[') ? wordsOf(text) : [text];
  if (words === null) return refuse('is not a JSON array of texts');
  const [program = '', ...args] = words;
  if (!isAbsolute(program)) return refuse('names no program by its absolute path');
  if (words.some((word) => word.includes('\0'))) return refuse('contains a null character');
  return accept({ program, args });
}

function wordsOf(text: string): readonly string[] | null {
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : null;
  } catch {
    return null;
  }
}

export const RECONCILIATION = variables('Bank', {
  RECONCILE_MAX_RPS: {
    ...wholeNumber(0, MAX_RPS),
    default: '10',
    meaning:
      'maximum number of inquiries a second of reconciliations from one worker, within BANK_MAX_RPS; 0 = only BANK_MAX_RPS limits them',
  },
  RECONCILE_KEEP: {
    ...duration({ minMs: KEEP_MIN_MS }),
    default: '90d',
    meaning: 'age at which the details of reconciliations and the lines of statements are deleted',
  },
  RECONCILE_HEAD_COMMAND: {
    parse: headCommand,
    shown: 'program',
    allowed:
      'an absolute path, or a JSON array of the path and the first arguments: ["/usr/bin/logger", "-t", "giro-head"]',
    meaning:
      'program to which worker and `reconcile run` pass the head of the chain of reports, as two more arguments: asOf and hash (docs/signatures.md)',
  },
});

export const readReconciliation = (reader: SettingsReader): ReconciliationConfig => ({
  maxRps: reader.read(RECONCILIATION.RECONCILE_MAX_RPS),
  keepMs: reader.read(RECONCILIATION.RECONCILE_KEEP),
  headCommand: reader.read(RECONCILIATION.RECONCILE_HEAD_COMMAND),
});
