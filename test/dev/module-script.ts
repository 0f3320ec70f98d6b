import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packageRoot } from '../../dev/package-root';

const run = promisify(execFile);

/** Runs ES module code, which jest cannot load, in the checkout. Returns its JSON output. */
export async function runModuleScript(
  code: string,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<unknown> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], {
    cwd: options.cwd ?? packageRoot,
    env: options.env ?? process.env,
  });
  return JSON.parse(stdout);
}
