import type { ConfigProblem } from './config-error';
import type { Env } from './env';
import type { Parsed } from './formats';

/** Headings of the reference, in its order. */
export const SECTIONS = [
  'Process',
  'Tracing',
  'Temporal',
  'Journal',
  'Encryption',
  'Bank',
  'Cadence',
  'Orders',
  'Webhooks',
  'Verifications',
] as const;
export type Section = (typeof SECTIONS)[number];

/** One variable of the environment: how it is read, and what people need to know about it. */
export interface Declaration<T> {
  /** The reader is for bounds that depend on another variable. */
  readonly parse: (text: string, reader: SettingsReader) => Parsed<T>;
  /** The default as one would write it in the environment; absent: no default. */
  readonly default?: string;
  /** What is allowed: printed after `allowed:`. */
  readonly allowed: string;
  readonly meaning: string;
  /**
   * How an error may show the value. Default `value`; `url` hides credentials, query and fragment; `program` shows a
   * single word only, because arguments may hold credentials.
   */
  readonly shown?: Shown;
}

type Shown = 'value' | 'url' | 'program' | 'never';

/** `D` is `string` for a variable with a default: reading it always gives a value. */
export interface Variable<T = unknown, D extends string | null = string | null> {
  readonly name: string;
  readonly section: Section;
  readonly parse: Declaration<T>['parse'];
  readonly default: D;
  readonly allowed: string;
  readonly meaning: string;
  readonly shown: Shown;
}

type VariableOf<D extends Declaration<unknown>> =
  D extends Declaration<infer T>
    ? Variable<T, D extends { readonly default: string } ? string : null>
    : never;

export function variable<const D extends Declaration<unknown>>(
  section: Section,
  name: string,
  declaration: D,
): VariableOf<D> {
  return { shown: 'value', default: null, ...declaration, name, section };
}

/** Variables of one section, by name. They take effect once `variables.ts` lists the group. */
export function variables<const D extends Readonly<Record<string, Declaration<unknown>>>>(
  section: Section,
  declarations: D,
): { readonly [N in keyof D]: VariableOf<D[N]> } {
  const entries = Object.entries(declarations).map(([name, declaration]) => [
    name,
    variable(section, name, declaration),
  ]);
  return Object.fromEntries(entries) as { readonly [N in keyof D]: VariableOf<D[N]> };
}

/**
 * Reads variables and collects what is wrong, so that all errors come at once. After a problem the returned value is a
 * placeholder (the default, or null): check `problems` before you use any value.
 */
export class SettingsReader {
  private readonly found: ConfigProblem[] = [];

  constructor(readonly env: Env) {}

  get problems(): readonly ConfigProblem[] {
    return this.found;
  }

  isSet(variable: Variable): boolean {
    return this.text(variable) !== null;
  }

  /** The text of the variable, not parsed; null: not set. */
  text({ name }: Variable): string | null {
    return this.env[name] ?? null;
  }

  /** Null: not set, and without a default. */
  read<T>(variable: Variable<T, string>): T;
  read<T>(variable: Variable<T>): T | null;
  read<T>(variable: Variable<T>): T | null {
    const text = this.text(variable);
    if (text !== null) {
      const parsed = variable.parse(text, this);
      if (parsed.ok) return parsed.value;
      this.problem(variable, parsed.reason);
    }
    if (variable.default === null) return null;
    const fallback = variable.parse(variable.default, this);
    if (!fallback.ok) throw new Error(`the default of ${variable.name} ${fallback.reason}`);
    return fallback.value;
  }

  required<T>(variable: Variable<T>): T | null {
    return this.isSet(variable) ? this.read(variable) : this.problem(variable, 'is required');
  }

  /** Adds a problem once, even if several parts of the configuration report it. */
  problem(variable: Variable, why: string): null {
    const { name, allowed } = variable;
    const text = this.text(variable);
    const mayBeSecret = text !== null && NAMES_FILE.test(name) && !isPath(text);
    const shown = mayBeSecret ? 'never' : variable.shown;
    // Completes the sentence `NAME is "…": `.
    const sentence = why.replace(/^is /, '');
    const reason = mayBeSecret ? sentence.replace(`the file ${text} `, () => 'the file ') : sentence;
    const known = this.found.some((problem) => problem.variable === name && problem.reason === reason);
    if (!known) this.found.push({ variable: name, holds: showValue(text, shown), reason, allowed });
    return null;
  }

  /** Reports a variable that has no effect without another one. */
  needs(variable: Variable, other: Variable): void {
    if (!this.isSet(other)) this.refuseIfSet([variable], `${other.name} is not set`);
  }

  /** Refuses variables that have no effect because of another setting. */
  refuseIfSet(variables: readonly Variable[], why: string): void {
    for (const variable of variables) if (this.isSet(variable)) this.problem(variable, why);
  }
}

/** Longest value that an error repeats; a longer one is probably the content of a file. */
const SHOWN_MAX_LENGTH = 200;

const NOT_SHOWN = '(set, not shown)';

/** Variables that hold the path of a file. Somebody may have put the content there: a key, a token. */
const NAMES_FILE = /_(?:FILE|PATH)$/;

/** Text that has the form of a path: from the root or the working directory, or a name with an ending. */
const isPath = (text: string): boolean =>
  /^(?:\.{0,2}\/[\p{L}\p{N}_.@/ -]*|[\w@/-]+\.[a-z]{2,8})$/u.test(text);

/** What an error may repeat of a value: never a secret, nor a text that is too long or spans lines. */
function showValue(text: string | null, shown: Shown): string | null {
  if (text === null) return null;
  if (shown === 'never' || /[\r\n]/.test(text) || text.length > SHOWN_MAX_LENGTH) return NOT_SHOWN;
  if (shown === 'program' && /[\s,[]/.test(text)) return NOT_SHOWN;
  if (shown === 'value' || shown === 'program') return JSON.stringify(text);
  // Without a URL parser, because the text may be no URL. Credentials end at the last @ and may hold any character, so
  // they go first; a query or a fragment may hold keys.
  const withoutCredentials = text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/i, '$1…@');
  return JSON.stringify(withoutCredentials.replace(/([?#]).*$/, '$1…'));
}
