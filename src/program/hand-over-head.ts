import { spawn } from 'node:child_process';
import { homedir, tmpdir } from 'node:os';
import type { HeadCommand } from '../config/reconciliation';
import type { ReportHead } from '../reconciliation/report';
import type { Logger } from '../telemetry/logger';

/** A program that hangs delays the end of a reconciliation by this time at most. */
const HEAD_COMMAND_TIMEOUT_MS = 30_000;

/** The only variables that the program gets: no secret of Giro. */
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

/**
 * Gives the head of the chain to the program that stores it outside the journal, at least once for each report. The
 * program's last arguments are asOf and hash. False: the program failed, which is logged. Does not throw, because the
 * report is recorded already.
 */
export async function handOverHead(
  { program, args }: HeadCommand,
  { asOf, chain }: Pick<ReportHead, 'asOf' | 'chain'>,
  logger: Logger,
  timeoutMs = HEAD_COMMAND_TIMEOUT_MS,
): Promise<boolean> {
  if (chain === null) return true;
  const problem = await run(program, [...args, asOf, chain.sha256], timeoutMs);
  if (problem === null) return true;
  logger.error(
    { asOf, sha256: chain.sha256, reason: problem },
    'RECONCILE_HEAD_COMMAND failed: keep this head elsewhere by hand',
  );
  return false;
}

/** Null: the program ended with 0. Its output is discarded, because it could contain anything. */
function run(program: string, args: readonly string[], timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...{ shell: false, stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL', cwd: tmpdir() },
      env: { ...ENVIRONMENT, HOME: homeFolder() },
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(`not started: ${error.code ?? error.name}`),
    );
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(null);
      else
        resolve(
          signal === null ? `exit code ${String(code)}` : `ended by ${signal}, after at most ${timeoutMs} ms`,
        );
    });
  });
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return tmpdir(); // containers may run under a number without a name, and without HOME
  }
}
