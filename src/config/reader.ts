import type { ConfigProblem } from './config-error';
import type { Env } from './env';
import type { Parser } from './parsers';
import { VARIABLES } from './variables';
import type { DefaultedName, VariableName } from './variables';

/** Longest value that an error repeats; longer ones are no setting but a file's content gone astray. */
const SHOWN_MAX_LENGTH = 200;

const NOT_SHOWN = '(set, not shown)';

/**
 * Reads variables and collects what is wrong, so that all errors come at once. After a problem the value returned
 * is a placeholder (the default, or null): whoever owns the reader must look at `problems` before using any value.
 */
export class SettingsReader {
  private readonly found: ConfigProblem[] = [];

  constructor(readonly env: Env) {}

  get problems(): readonly ConfigProblem[] {
    return this.found;
  }

  isSet(name: VariableName): boolean {
    return this.env[name] !== undefined;
  }

  withDefault<T>(name: DefaultedName, parse: Parser<T>): T {
    const value = this.optional(name, parse);
    if (value !== null) return value;
    const fallback = parse(VARIABLES[name].default ?? '');
    if (!fallback.ok) throw new Error(`the default of ${name} ${fallback.reason}`);
    return fallback.value;
  }

  optional<T>(name: VariableName, parse: Parser<T>): T | null {
    const text = this.env[name];
    if (text === undefined) return null;
    const parsed = parse(text);
    return parsed.ok ? parsed.value : this.problem(name, parsed.reason);
  }

  required<T>(name: VariableName, parse: Parser<T>): T | null {
    return this.isSet(name) ? this.optional(name, parse) : this.problem(name, 'is required');
  }

  /** Notes a problem once, however many parts of the configuration meet it. */
  problem(name: VariableName, why: string): null {
    // The sentence goes on from `NAME is "…": `.
    const reason = why.replace(/^is /, '');
    const known = this.found.some((problem) => problem.variable === name && problem.reason === reason);
    if (!known) {
      const holds = showValue(this.env[name], VARIABLES[name].shown ?? 'value');
      this.found.push({ variable: name, holds, reason, allowed: VARIABLES[name].allowed });
    }
    return null;
  }
}

/** What an error may repeat of a value: never a secret, nor a text that is too long or spans lines. */
export function showValue(text: string | undefined, shown: 'value' | 'url' | 'never'): string | null {
  if (text === undefined) return null;
  if (shown === 'never' || /[\r\n]/.test(text) || text.length > SHOWN_MAX_LENGTH) return NOT_SHOWN;
  if (shown === 'value') return JSON.stringify(text);
  // Hand-made, because the text may be no URL at all: credentials end at the last @, a query may carry keys.
  const withoutQuery = text.replace(/\?.*$/, '?…');
  return JSON.stringify(withoutQuery.replace(/^(.*\/\/)?.*@/, '$1…@'));
}
