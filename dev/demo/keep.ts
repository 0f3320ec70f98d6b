import type { SandboxBank } from '../../src/sandbox-bank';

export interface Kept {
  readonly uiUrl: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly bank: SandboxBank;
}

/** Tells how to look at what is up, and keeps it up until a signal ends the process. */
export async function keepOpen({ uiUrl, databaseUrl, temporalAddress, bank }: Kept): Promise<void> {
  process.stdout.write(
    [
      'everything stays up; Ctrl-C takes it down',
      '',
      `  Temporal UI   ${uiUrl}/namespaces/default/workflows`,
      `  sandbox bank  ${bank.baseUrl}/sandbox/movements (certificate of its own making)`,
      '',
      '  commands, in another terminal of this folder:',
      '',
      `    export DATABASE_URL='${databaseUrl}' TEMPORAL_ADDRESS=${temporalAddress}`,
      '    npm run -s giro -- transfer list',
      '    npm run -s giro -- transfer show 1003',
      '    npm run -s giro -- annulment list',
      '    npm run -s giro -- kyc show demo-kyc-1',
      '',
    ].join('\n'),
  );
  // The servers are children of their own: this timer is what keeps the process there.
  await new Promise<never>(() => setInterval(() => undefined, AWAKE_MS));
}

const AWAKE_MS = 60_000;
