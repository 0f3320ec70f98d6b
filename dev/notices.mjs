import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Part of the package and of the image, beside the code. */
export const NOTICES = 'dist/THIRD-PARTY-NOTICES.txt';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
/** The stricter pattern for subfolders of a package, where source files may have such names too. */
const NESTED_LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.(txt|md))?$/i;

/** Standard texts of SPDX, for packages that only name their licence. */
const STANDARD_TEXTS = new Map(
  ['MIT', 'Apache-2.0'].map((spdx) => [spdx, new URL(`licences/${spdx}.txt`, import.meta.url)]),
);

/**
 * Writes name, version, licence and the licence's text of each package that runs in production, as package-lock.json
 * has them. Packages for another platform, which are not installed, are left out.
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
  const standard = [...STANDARD_TEXTS].map(([spdx, file]) => [
    `Standard text of ${spdx}, for the packages above that refer to it`,
    readFileSync(file, 'utf8').trim(),
  ]);
  const text = [...unique, ...standard]
    .map(([title, it]) => `${title}\n\n${it}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
  writeFileSync(
    join(root, NOTICES),
    `Giro contains and uses the software below, under the licences named.\n\n${text}`,
  );
}

function noticeOf(folder) {
  const { name, version, license, licenses, author, repository, homepage } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const named =
    license?.type ?? license ?? licenses?.map(({ type }) => type).join(' or ') ?? 'as its text says';
  const texts = licenceTexts(folder);
  const source = repository?.url ?? repository ?? homepage ?? `https://www.npmjs.com/package/${name}`;
  const holder = typeof author === 'object' ? [author.name, author.url].filter(Boolean).join(', ') : author;
  const without = [
    'The package brings no licence text.',
    ...(STANDARD_TEXTS.has(named) ? [`It declares ${named}, whose standard text is at the end.`] : []),
    ...(holder ? [`Its author: ${holder}.`] : []),
    `Its source: ${source}`,
  ].join(' ');
  return {
    title: `${name} ${version} (${named})`,
    text: [...(texts.length > 0 ? texts : [without]), ...cratesIn(folder)].join('\n\n'),
  };
}

/** The texts of a package's licence: from its licence files, else from files in its folders, else from its readme. */
function licenceTexts(folder) {
  const read = (file) => readFileSync(file, 'utf8').trim();
  const files = (recursive) =>
    readdirSync(folder, { withFileTypes: true, recursive })
      .filter((it) => it.isFile() && (recursive ? NESTED_LICENCE_FILE : LICENCE_FILE).test(it.name))
      .map((it) => join(it.parentPath, it.name))
      .filter((file) => !file.slice(folder.length).includes('node_modules'))
      .sort();
  const own = files(false);
  const texts = [...new Set((own.length > 0 ? own : files(true)).map(read))];
  if (texts.length > 0) return texts;
  const readme = readdirSync(folder).find((it) => /^readme(\.md)?$/i.test(it));
  const section = readme === undefined ? null : LICENCE_SECTION.exec(read(join(folder, readme)));
  return section === null ? [] : [section[1].trim()];
}

/** A heading of a readme with the licence's text below it, not only the licence's name. */
const LICENCE_SECTION =
  /^(?:#+ *licen[cs]e *#*|licen[cs]e\n-+)\n((?:(?!#)[^\n]*\n)*?[^\n]*permission is hereby granted[\s\S]*?)(?=\n#+ |\n[^\n]+\n[-=]{3,}\n|$(?![\s\S]))/im;

/** What is known of the Rust crates in a compiled package: its Cargo.lock, which names no licences. */
function cratesIn(folder) {
  const lock = join(folder, 'Cargo.lock');
  if (!existsSync(lock)) return [];
  const crates = readFileSync(lock, 'utf8')
    .split('[[package]]')
    .filter((it) => /^source = /m.test(it))
    .map((it) => /^name = "(.+)"\nversion = "(.+)"$/m.exec(it))
    .map(([, name, version]) => `${name} ${version}`);
  return [
    'The package contains compiled Rust. Its Cargo.lock names the crates below, those for tests and other platforms ' +
      'included. It names no licences; the page of each crate, https://crates.io/crates/NAME/VERSION, does.',
    crates.join(', '),
  ];
}
