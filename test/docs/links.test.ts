import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { allPages, anchorsOf, linksIn, textOfPage } from './pages';

const pages = allPages();
const linksOf = (page: string): string[] => linksIn(textOfPage(page));

test.each(pages)('%s: every link leads to a file, and to a heading of it', (page) => {
  for (const link of linksOf(page)) {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : path.join(path.dirname(page), file);
    expect(`${link}: ${String(existsSync(path.join(packageRoot, target)))}`).toBe(`${link}: true`);
    if (anchor !== undefined) expect([...anchorsOf(target)]).toContain(anchor);
  }
});

test('the index of pages names every page of docs', () => {
  const named = new Set(linksOf('docs/README.md').map((link) => `docs/${link.split('#')[0]}`));
  const missing = pages.filter(
    (page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md' && !named.has(page),
  );
  expect(missing).toEqual([]);
});
