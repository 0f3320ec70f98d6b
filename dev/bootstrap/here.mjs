import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const packageRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Prints a line of progress to stderr; stdout belongs to the task. */
export function say(line) {
  process.stderr.write(`giro: ${line}\n`);
}
