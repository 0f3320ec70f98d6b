import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BankAccess } from '../bank-access';
import type { Scope } from '../scope';

export interface Kept {
  readonly uiUrl: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly access: BankAccess;
}

/** Prints how to use the running servers, and keeps them up until a signal ends the process. */
export async function keepOpen(scope: Scope, kept: Kept): Promise<void> {
  const { uiUrl, databaseUrl, temporalAddress } = kept;
  const settings: Readonly<Record<string, string>> = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    GIRO_SANDBOX: '1',
    DECIDERS: 'ana,luis',
    ...(await accessInFolder(scope, kept.access)),
  };
  const identity = `--cert ${settings['BANK_CLIENT_CERT_FILE']} --key ${settings['BANK_CLIENT_KEY_FILE']}`;
  process.stdout.write(
    [
      'everything stays up; Ctrl-C takes it down',
      '',
      `  Temporal UI   ${uiUrl}/namespaces/default/workflows`,
      `  sandbox bank  curl --cacert ${settings['BANK_CA_FILE']} ${identity} ${settings['BANK_BASE_URL']}/sandbox/movements`,
      '',
      '  commands, in another terminal of this folder:',
      '',
      ...Object.entries(settings).map(([name, value]) => `    export ${name}='${value}'`),
      '    npm run -s giro -- setup',
      '    npm run -s giro -- transfer start examples/order.json --wait',
      '    npm run -s giro -- doctor',
      '    npm run -s giro -- transfer list',
      '    npm run -s giro -- transfer show 1003',
      '    npm run -s giro -- movement show --origin-id 1003',
      '    npm run -s giro -- annulment list',
      '',
    ].join('\n'),
  );
  // The servers are separate processes: only this timer keeps this process alive.
  await new Promise<never>(() => setInterval(() => undefined, AWAKE_MS));
}

const AWAKE_MS = 60_000;

/** Writes the files of the access into a folder that is deleted with the scope. Returns the settings that name them. */
async function accessInFolder(
  scope: Scope,
  { files, settings }: BankAccess,
): Promise<Readonly<Record<string, string>>> {
  const folder = scope.own(await mkdtemp(join(tmpdir(), 'giro-demo-bank-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), text, { mode: 0o600 });
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, value in files ? join(folder, value) : value]),
  );
}
