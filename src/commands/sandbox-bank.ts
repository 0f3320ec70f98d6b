import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type * as Sandbox from '../sandbox-bank';
import type { SandboxBank, SandboxRule } from '../sandbox-bank';
import { portArgument } from './support/arguments';
import type { AddCommand } from './support/command';
import { InputError } from '../program/exit-codes';
import { aborted, stopSignal } from '../program/io';
import { runService } from '../program/run';
import { readJson } from '../sandbox-bank/json';
import { addSecurityOptions, readSecurity } from './support/sandbox-bank-security';
import type { SecurityOptions } from './support/sandbox-bank-security';

interface BankOptions extends SecurityOptions {
  readonly port?: number;
  readonly host?: string;
  readonly dnsName?: readonly string[];
  readonly http?: boolean;
  readonly rules?: string;
  readonly caOut?: string;
}

export const addSandboxBank: AddCommand = (parent, { io, end }) => {
  const command = parent
    .command('sandbox-bank')
    .description('run a simulated bank: HTTPS, scenarios by rules, its books under /sandbox')
    .option('--port <n>', 'default: any free port', portArgument)
    .option('--host <address>', 'IP address to listen on (default 127.0.0.1)')
    .option('--dns-name <name...>', 'further names in its certificate')
    .option('--http', 'plain HTTP instead of HTTPS')
    .option('--rules <file>', 'scenario rules, as for PUT /sandbox/rules')
    .option('--ca-out <file>', 'write the certificate that clients must trust (BANK_CA_FILE) to this file');
  addSecurityOptions(command).action(async (options: BankOptions) => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- here, so that other commands start without it
    const { announceSandboxBank, startSandboxBank } = require('../sandbox-bank/index') as typeof Sandbox;
    const code = await runService(io, [], async ({ logger }) => {
      const stop = stopSignal(io);
      try {
        const security = await readSecurity(options);
        const bank = await startSandboxBank({
          ...defined({ port: options.port, host: options.host, dnsNames: options.dnsName }),
          tls: options.http !== true,
          ...security.bank,
          ...(options.rules === undefined ? {} : { rules: readRules(options.rules) }),
          logger,
        });
        try {
          if (options.caOut !== undefined && bank.caPem !== null) await writeCa(options.caOut, bank.caPem);
          announceSandboxBank(bank, logger, {
            ...settingsFor(bank, options),
            ...security.settingsFor(bank),
          });
          await aborted(stop.signal);
        } finally {
          await bank.close();
        }
      } finally {
        stop.release();
      }
    });
    end(code);
  });
};

/** Numbers keep all digits, as in the route that takes the same rules. */
function readRules(path: string): readonly SandboxRule[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new InputError(
      `the file ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
  try {
    return readJson(text) as readonly SandboxRule[];
  } catch (error) {
    throw new InputError(`the file ${path} is not JSON: ${(error as Error).message}`);
  }
}

async function writeCa(path: string, pem: string): Promise<void> {
  try {
    await writeFile(path, pem);
  } catch (error) {
    throw new InputError(
      `the file ${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** What a worker needs to reach this bank. */
function settingsFor({ baseUrl, caPem }: SandboxBank, { caOut }: BankOptions) {
  const caFile = caOut === undefined ? 'start with --ca-out FILE' : resolve(caOut);
  return {
    BANK_BASE_URL: baseUrl,
    ...(caPem === null ? {} : { BANK_CA_FILE: caFile }),
  };
}
