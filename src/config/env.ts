import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { ConfigError } from './config-error';

/** Variables that hold something; an empty one is unset. */
export type Env = Readonly<Record<string, string>>;

/** Keeps the variables that hold something. Pure: demo, tests and simulation pass their own source. */
export function readEnv(source: Readonly<Record<string, string | undefined>>): Env {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && value !== '') env[name] = value;
  }
  return env;
}

/** The process's environment alone, as a backend's program has it. */
export const readProcessEnv = (): Env => readEnv(process.env);

/**
 * The process's environment over the `.env` file of `directory` (default: the working directory), if that file exists.
 * A variable of the environment wins even when it is empty, which unsets a line of the file.
 */
export function loadProcessEnv(directory: string = process.cwd()): Env {
  return readEnv({ ...readDotEnvFile(join(directory, '.env')), ...process.env });
}

function readDotEnvFile(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return {};
    throw new ConfigError([
      {
        variable: '.env',
        holds: `"${path}"`,
        reason: `cannot be read (${code})`,
        allowed: 'a readable file, or none',
      },
    ]);
  }
  // `parse` only: dotenv's own loader writes to the process's environment and prints to its output.
  return parse(text);
}
