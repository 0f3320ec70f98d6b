// `npm run docs:configuration`: writes the tables of docs/configuration.md and the lines of .env.example from the table
// of variables in src/config. Prose in the page, and values set in the example, stay as they are.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import prettier from 'prettier';
import { packageRoot } from './bootstrap/here.mjs';

const require = createRequire(import.meta.url);
const { VARIABLES, VARIABLE_NAMES } = require(join(packageRoot, 'dist/src/config/variables.js'));
const { SECTIONS } = require(join(packageRoot, 'dist/src/config/variable-spec.js'));

const RULES = { refused: 'not set: refused', unused: 'not read: a warning' };
const namesOf = (section) => VARIABLE_NAMES.filter((name) => VARIABLES[name].section === section);
const inPackage = (file) => join(packageRoot, file);

async function writeReference(file) {
  let page = readFileSync(inPackage(file), 'utf8');
  const sections = SECTIONS.filter((section) => namesOf(section).length > 0);
  sections.forEach((section, i) => {
    if (!page.includes(`\n## ${section}\n`)) page = withNewSection(page, section, sections[i - 1]);
    page = page.replace(sectionOf(section), (all, head) => `${head.trimEnd()}\n\n${tableOf(section)}\n`);
  });
  writeFileSync(
    inPackage(file),
    await prettier.format(page, { ...(await prettier.resolveConfig(inPackage(file))), parser: 'markdown' }),
  );
}

/** The heading and its prose, then its table. */
const sectionOf = (section) =>
  new RegExp(`(\\n## ${section}\\n(?:(?!\\n## |\\n\\|)[\\s\\S])*)(\\n\\|[^\\n]*)*\\n`);

function withNewSection(page, section, after) {
  if (after === undefined) throw new Error(`docs/configuration.md has no section ${section}`);
  return page.replace(sectionOf(after), (all) => `${all}\n## ${section}\n`);
}

function tableOf(section) {
  const rows = namesOf(section).map((name) => {
    const { default: value, allowed, meaning, stage } = VARIABLES[name];
    return [`\`${name}\``, value === null ? 'none' : `\`${value}\``, RULES[stage] ?? allowed, meaning];
  });
  return [['variable', 'default', 'allowed', 'meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

function writeExample(file) {
  const before = readFileSync(inPackage(file), 'utf8');
  const set = new Map(
    [...before.matchAll(/^([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const head = before.slice(0, before.indexOf('# --- '));
  const sections = SECTIONS.map((section) => {
    const names = namesOf(section).filter((name) => VARIABLES[name].stage === undefined);
    const blocks = names.map((name) => {
      const { default: value, allowed, meaning } = VARIABLES[name];
      const line = set.has(name) ? `${name}=${set.get(name)}` : `# ${name}=${value ?? ''}`;
      return `# ${meaning}; allowed: ${allowed}\n${line}\n`;
    });
    return blocks.length === 0 ? [] : [`# --- ${section} ---\n`, ...blocks];
  });
  writeFileSync(inPackage(file), `${head}${sections.flat().join('\n')}`);
}

await writeReference('docs/configuration.md');
writeExample('.env.example');
