import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

export const RUNBOOKS = path.join(__dirname, '../../docs/runbooks');

export const pages = (): string[] => readdirSync(RUNBOOKS);
export const textOf = (page: string): string => readFileSync(path.join(RUNBOOKS, page), 'utf8');

/**
 * The commands of a program in the pages: lines of shell blocks (lines after a backslash joined), and text in backticks
 * with at least one option.
 */
export function commandsOf(program: RegExp): (readonly [page: string, line: string])[] {
  return pages().flatMap((page) => {
    const text = textOf(page);
    const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
    const inline = [...text.matchAll(/`([^`\n]+ --[^`\n]+)`/g)].map((match) => match[1] ?? '');
    return [...blocks.join('\n').replaceAll('\\\n', ' ').split('\n'), ...inline]
      .map((line) => program.exec(line.trim().replace(/\s+#.*$/, ''))?.[1])
      .filter((line) => line !== undefined)
      .filter((line) => /^[a-z]/.test(line))
      .map((line) => [page, line] as const);
  });
}

/** The words that name the command and its options; the other words are values. */
export function partsOf(line: string): { readonly named: string[]; readonly options: string[] } {
  const words = line.trim().split(/\s+/);
  const firstValue = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  return {
    named: firstValue === -1 ? words : words.slice(0, firstValue),
    options: words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? word),
  };
}
