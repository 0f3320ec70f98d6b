import { readSecretFile } from './files';
import { accept, refuse } from './parsers';
import type { Parsed } from './parsers';

/** While a secret is changed there are two; more than a handful is the wrong file. */
const SECRETS_MAX = 10;

/** A file with one or more secrets, one a line; empty lines do not count. No reason repeats a secret. */
export function readSecretLines(
  path: string,
  check: (secret: string) => Parsed<string>,
): Parsed<readonly string[]> {
  const file = readSecretFile(path);
  if (!file.ok) return file;
  const lines = file.value.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0) return refuse(`the file ${path} is empty`);
  if (lines.length > SECRETS_MAX) return refuse(`the file ${path} has more than ${SECRETS_MAX} lines`);
  for (const [i, line] of lines.entries()) {
    const checked = check(line);
    if (!checked.ok) return refuse(`the file ${path} has in line ${i + 1} a secret that ${checked.reason}`);
  }
  return accept(lines);
}

export const secretWithin =
  (minLength: number, maxLength: number, form: RegExp, what: string) =>
  (secret: string): Parsed<string> => {
    if (secret.length < minLength) return refuse(`is shorter than ${minLength} characters`);
    if (secret.length > maxLength) return refuse(`is longer than ${maxLength} characters`);
    return form.test(secret) ? accept(secret) : refuse(what);
  };
