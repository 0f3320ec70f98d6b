import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { BREAK_CLASSES } from '../../src/reconciliation/break';
import { DIFFERENCES, SUB_CASES } from '../../src/reconciliation/differences';
import { textOf } from './runbook-commands';

const ROOT = path.join(__dirname, '../..');
const section =
  textOf('changing-giro.md')
    .split(/^## /m)
    .find((one) => one.startsWith('A break class\n')) ?? '';
const steps = section.split(/^[0-9]\. /m).slice(1);
/** `NAME.ts` of a step stands beside the folder or file that the step names first. */
const filesOf = (step: string): string[] => {
  const names = [...step.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
  const folder = names.find((name) => name.startsWith('src/') && !name.endsWith('.ts')) ?? '';
  return names
    .filter((name) => /\.(ts|md|json)$/.test(name))
    .map((name) => (name.includes('/') ? name : path.join(folder, name)));
};
const listed = new Set(steps.flatMap(filesOf));

function filesUnder(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}
const PLACES = ['src', 'dev', 'ops', 'docs', 'examples'].flatMap(filesUnder);
/** A sentence of the reports names a class to their readers. */
const PROSE = 'src/reconciliation/reports/readable.ts';

const COMMENTS = /\/\*[\s\S]*?\*\/|\/\/ .*$/gm;
const texts = new Map(
  PLACES.map((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    return [file, file.endsWith('.ts') ? text.replace(COMMENTS, '') : text];
  }),
);
const naming = (words: readonly string[]): string[] =>
  [...texts]
    .filter(([, text]) => words.some((word) => new RegExp(`\\b${word}\\b`).test(text)))
    .map(([file]) => file);

/** Their breaks follow other rules: a run looks for the entry again, and a debit is identified by the bank's ids. */
const WITH_RULES_OF_THEIR_OWN: ReadonlySet<string> = new Set(['MISSING_IN_JOURNAL', 'ORPHAN_AT_BANK']);
/** The same names, for a post-final check, a flag or a phase. */
const OTHER_MEANINGS: ReadonlySet<string> = new Set([
  'COMPLETED_THEN_FAILED',
  'FAILED_THEN_COMPLETED',
  'FINAL_REOPENED',
  'REFUSED_BUT_KNOWN',
  'WITHDRAWN_BUT_KNOWN',
  'OTHER_MOVEMENT',
  'VANISHED',
  'LATE',
  'NO_ANSWER',
  'NOT_RECORDED',
]);

describe('the recipe for a break class', () => {
  test('names files that are there', () => {
    expect(listed.size).toBeGreaterThan(8);
    expect([...listed].filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  test.each(BREAK_CLASSES.filter((one) => !WITH_RULES_OF_THEIR_OWN.has(one)))(
    'has every file that names %s or one of its differences',
    (breakClass) => {
      const differences = SUB_CASES.filter((subCase) => DIFFERENCES[subCase].class === breakClass);
      const words = [breakClass, ...differences].filter((word) => !OTHER_MEANINGS.has(word));
      expect(naming(words).filter((file) => file !== PROSE && !listed.has(file))).toEqual([]);
    },
  );

  test('has no file that no class needs', () => {
    const needed = new Set(naming([...BREAK_CLASSES, ...SUB_CASES]));
    expect([...listed].filter((file) => !file.startsWith('test/') && !needed.has(file))).toEqual([]);
  });
});
