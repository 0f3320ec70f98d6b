import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../dev/package-root';

/** The path of every page in the repository. */
export function allPages(): string[] {
  const under = ['docs', 'examples', 'ops', 'bench']
    .filter((folder) => existsSync(path.join(packageRoot, folder)))
    .flatMap((folder) => pagesIn(folder));
  return [...pagesIn('', { recursive: false }), ...under].sort();
}

function pagesIn(folder: string, { recursive } = { recursive: true }): string[] {
  return readdirSync(path.join(packageRoot, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => path.relative(packageRoot, path.join(entry.parentPath, entry.name)))
    .filter((page) => !page.includes('node_modules'));
}

export const textOfPage = (page: string): string => readFileSync(path.join(packageRoot, page), 'utf8');

/** The page without code, because code contains no links or headings. */
export const proseOf = (page: string): string => withoutCode(textOfPage(page));

const withoutCode = (text: string): string =>
  text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** The targets of a page's links, except other sites. */
export const linksIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

/** The anchors of a page's headings, as GitHub makes them: repeated ones are numbered. */
export function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/\]\([^)]*\)/g, '')
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set(anchors);
}
