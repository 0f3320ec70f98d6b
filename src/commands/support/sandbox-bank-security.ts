import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../config/config-error';
import { readSettingsFile, readValueFile } from '../../config/files';
import { readScheme } from '../../config/bank-hmac';
import { SettingsReader } from '../../config/variable';
import { makeClientCertificate } from '../../sandbox-bank/server/certificate';
import { TOKEN_PATH } from '../../sandbox-bank/server/token-service';
import { hmacVerifier, messageVerifier } from '../../sandbox-bank/verify-hmac';
import type { SandboxBank, SandboxBankOptions } from '../../sandbox-bank/index';
import { durationArgument } from './arguments';
import { InputError } from '../../program/exit-codes';

/** What the sandbox bank demands of its clients. */
export interface SecurityOptions {
  readonly tokenFile?: string;
  readonly tokenService?: boolean;
  readonly tokenRequestFile?: string;
  readonly tokenLife?: number;
  readonly clientCaFile?: string;
  readonly clientOut?: string;
  readonly hmacSecretFile?: readonly string[];
  readonly hmacScheme?: string;
  readonly hmacKeyId?: string;
  readonly hmacHeader?: string;
  readonly hmacHash?: string;
  readonly hmacEncoding?: string;
  readonly hmacPrefix?: string;
  readonly hmacContent?: string;
  readonly hmacTimestampHeader?: string;
  readonly hmacNonceHeader?: string;
}

const TOKEN_LIFE_DEFAULT_MS = 3_600_000;

export function addSecurityOptions(command: Command): Command {
  return command
    .option('--token-file <file>', 'expect the access token in this file, read at each request; default: any')
    .option('--token-service', `serve tokens at POST ${TOKEN_PATH} and accept only those`)
    .option('--token-request-file <file>', 'body that a request for a token must have; default: any')
    .option('--token-life <duration>', 'life of those tokens (default 1h)', durationArgument)
    .option('--client-ca-file <file>', 'expect client certificates of this authority')
    .option('--client-out <dir>', 'make a client certificate, write it to this directory and expect it')
    .option('--hmac-secret-file <file...>', 'expect signatures by one of these secrets, read at each request')
    .option('--hmac-scheme <word>', 'each of these options is the BANK_HMAC_… variable of the same name')
    .option('--hmac-key-id <text>')
    .option('--hmac-header <name>')
    .option('--hmac-hash <word>')
    .option('--hmac-encoding <word>')
    .option('--hmac-prefix <text>')
    .option('--hmac-content <template>')
    .option('--hmac-timestamp-header <name>')
    .option('--hmac-nonce-header <name>');
}

/** The bank's options, and the settings that a client needs besides the bank's address. */
export async function readSecurity(options: SecurityOptions): Promise<{
  readonly bank: SandboxBankOptions;
  readonly settingsFor: (bank: SandboxBank) => Readonly<Record<string, string>>;
}> {
  const { tokenFile, tokenRequestFile, tokenService = false, clientOut } = options;
  if (tokenService && tokenFile !== undefined)
    throw new InputError('--token-service and --token-file exclude each other');
  if (clientOut !== undefined && options.clientCaFile !== undefined)
    throw new InputError('--client-out and --client-ca-file exclude each other');
  const client = clientOut === undefined ? null : await writeClient(clientOut);
  const hmac = readHmac(options);
  if (tokenFile !== undefined) content(readValueFile(tokenFile));
  if (tokenRequestFile !== undefined) content(readValueFile(tokenRequestFile));
  return {
    bank: {
      // While the file cannot be read, every secret counts as wrong.
      token: tokenFile === undefined ? null : () => textOrEmpty(readValueFile(tokenFile)),
      tokenService: tokenService
        ? {
            request: () =>
              tokenRequestFile === undefined ? null : textOrEmpty(readValueFile(tokenRequestFile)),
            lifeMs: options.tokenLife ?? TOKEN_LIFE_DEFAULT_MS,
          }
        : null,
      clientCaPem:
        client?.caPem ??
        (options.clientCaFile === undefined ? null : content(readSettingsFile(options.clientCaFile))),
      verifySignature: hmac,
    },
    settingsFor: ({ baseUrl }) => ({
      ...(tokenFile === undefined ? {} : { BANK_TOKEN_FILE: resolve(tokenFile) }),
      ...(tokenService ? { BANK_TOKEN_URL: `${baseUrl}${TOKEN_PATH}` } : {}),
      ...(tokenService && tokenRequestFile !== undefined
        ? { BANK_TOKEN_REQUEST_FILE: resolve(tokenRequestFile) }
        : {}),
      ...client?.settings,
      ...(options.hmacSecretFile === undefined
        ? {}
        : { BANK_HMAC_SECRET_FILE: resolve(options.hmacSecretFile[0] ?? ''), ...hmacVariables(options) }),
    }),
  };
}

async function writeClient(directory: string) {
  const { caPem, certPem, keyPem } = await makeClientCertificate();
  const [certFile, keyFile] = [join(directory, 'client-cert.pem'), join(directory, 'client-key.pem')];
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(certFile, certPem);
    writeFileSync(keyFile, keyPem, { mode: 0o600 });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new InputError(`the directory ${directory} cannot be written to (${code})`);
  }
  return {
    caPem,
    settings: { BANK_CLIENT_CERT_FILE: resolve(certFile), BANK_CLIENT_KEY_FILE: resolve(keyFile) },
  };
}

function hmacVariables(options: SecurityOptions): Readonly<Record<string, string>> {
  const values = {
    BANK_HMAC_SCHEME: options.hmacScheme,
    BANK_HMAC_KEY_ID: options.hmacKeyId,
    BANK_HMAC_HEADER: options.hmacHeader,
    BANK_HMAC_HASH: options.hmacHash,
    BANK_HMAC_ENCODING: options.hmacEncoding,
    BANK_HMAC_PREFIX: options.hmacPrefix,
    BANK_HMAC_CONTENT: options.hmacContent,
    BANK_HMAC_TIMESTAMP_HEADER: options.hmacTimestampHeader,
    BANK_HMAC_NONCE_HEADER: options.hmacNonceHeader,
  };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function readHmac(options: SecurityOptions) {
  const files = options.hmacSecretFile;
  const variables = hmacVariables(options);
  if (files === undefined) {
    if (Object.keys(variables).length > 0) throw new InputError('--hmac-… needs --hmac-secret-file');
    return null;
  }
  for (const file of files) content(readValueFile(file));
  const reader = new SettingsReader(variables);
  const scheme = readScheme(reader);
  if (reader.problems.length > 0) throw new ConfigError(reader.problems);
  const secrets = () =>
    files.map((file) => textOrEmpty(readValueFile(file))).filter((secret) => secret !== '');
  return scheme.kind === 'template'
    ? hmacVerifier({ scheme: scheme.template, secrets })
    : messageVerifier({ secrets });
}

type Read = ReturnType<typeof readValueFile>;

const textOrEmpty = (file: Read): string => (file.ok ? file.value : '');

function content(file: Read): string {
  if (file.ok) return file.value;
  throw new InputError(file.reason);
}
