import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Part of the package and of the image, beside the code. */
export const NOTICES = 'dist/THIRD-PARTY-NOTICES.txt';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * Writes name, version, licence and the licence's text of each package that runs in production, as package-lock.json has
 * them. Packages for another platform, which are not installed, are left out.
 */
export function writeNotices(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const entries = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path]) => join(root, path))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map(noticeOf)
    .sort((a, b) => a.title.localeCompare(b.title, 'en'));
  const unique = new Map(entries.map((it) => [it.title, it.text]));
  const text = [...unique].map(([title, it]) => `${title}\n\n${it}\n`).join(`\n${'-'.repeat(80)}\n\n`);
  writeFileSync(
    join(root, NOTICES),
    `Giro contains and uses the software below, under the licences named.\n\n${text}`,
  );
}

function noticeOf(folder) {
  const { name, version, license, licenses, repository, homepage } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const named =
    license?.type ?? license ?? licenses?.map(({ type }) => type).join(' or ') ?? 'as its text says';
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (it) => it.isFile() && LICENCE_FILE.test(it.name),
  );
  const texts = files.map((it) => readFileSync(join(folder, it.name), 'utf8').trim());
  const source = repository?.url ?? repository ?? homepage ?? `https://www.npmjs.com/package/${name}`;
  return {
    title: `${name} ${version} (${named})`,
    text: texts.length > 0 ? texts.join('\n\n') : `The package brings no licence text. Its source: ${source}`,
  };
}
