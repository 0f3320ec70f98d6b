import { SECTIONS } from '../src/config/variable';
import type { Section, Variable } from '../src/config/variable';

/** The page with a new table in each section; the prose stays. A section without a heading gets one. */
export function configurationPage(page: string, variables: readonly Variable[]): string {
  const sections = SECTIONS.filter((section) => variables.some((variable) => variable.section === section));
  return sections.reduce((text, section, i) => {
    const withHeading = text.includes(`\n## ${section}\n`)
      ? text
      : withNewSection(text, section, sections[i - 1]);
    return withHeading.replace(
      sectionOf(section),
      (_, head: string) => `${head.trimEnd()}\n\n${tableOf(section, variables)}\n`,
    );
  }, page);
}

/** Matches a section's heading and prose, then its table. */
const sectionOf = (section: Section): RegExp =>
  new RegExp(`(\\n## ${section}\\n(?:(?!\\n## |\\n\\|)[\\s\\S])*)(\\n\\|[^\\n]*)*\\n`);

function withNewSection(page: string, section: Section, after: Section | undefined): string {
  if (after === undefined) throw new Error(`docs/configuration.md has no section ${section}`);
  return page.replace(sectionOf(after), (all) => `${all}\n## ${section}\n`);
}

function tableOf(section: Section, variables: readonly Variable[]): string {
  const rows = variables
    .filter((variable) => variable.section === section)
    .map(({ name, default: value, allowed, meaning }) => [
      `\`${name}\``,
      value === null ? 'none' : `\`${value}\``,
      allowed,
      meaning,
    ]);
  return [['variable', 'default', 'allowed', 'meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** `.env.example` with a line for each variable; values that are set in `before` stay set. */
export function exampleEnv(before: string, variables: readonly Variable[]): string {
  const set = new Map(
    [...before.matchAll(/^([A-Z][A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const head = before.slice(0, before.indexOf('# --- '));
  const blocks = SECTIONS.flatMap((section) => {
    const own = variables.filter((variable) => variable.section === section);
    return own.length === 0 ? [] : [`# --- ${section} ---\n`, ...own.map((variable) => block(variable, set))];
  });
  return `${head}${blocks.join('\n')}`;
}

function block(
  { name, default: value, allowed, meaning }: Variable,
  set: ReadonlyMap<unknown, unknown>,
): string {
  const line = set.has(name) ? `${name}=${String(set.get(name))}` : `# ${name}=${value ?? ''}`;
  return `# ${meaning}; allowed: ${allowed}\n${line}\n`;
}
