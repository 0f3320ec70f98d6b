import { randomBytes } from 'node:crypto';
import { TOKEN_PATH, hmacVerifier, makeClientCertificate } from '../src/sandbox-bank';
import type { SandboxBank, SandboxBankOptions } from '../src/sandbox-bank';
import { SettingsReader } from '../src/config/variable';
import { BANK_HMAC_TEMPLATE } from '../src/config/bank-hmac';
import { readHmacScheme } from '../src/config/hmac';

/** The credentials of a worker at a bank: files for the worker's folder, and the settings that name them. */
export interface BankAccess {
  readonly files: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

/** Access to a bank that demands only a token. */
export const tokenAccess = (bank: SandboxBank, token: string): BankAccess => ({
  files: caFile(bank),
  settings: { ...addressOf(bank), BANK_TOKEN: token },
});

export interface HighLevelSecrets {
  /** Body of a request for a token, JSON. */
  readonly tokenRequest: string;
  readonly hmacSecret: string;
}

/** A bank that demands everything: mutual TLS, tokens of a token service, signed requests. */
export interface HighLevel {
  readonly bankOptions: SandboxBankOptions;
  /** PEM of the client certificate and its key, for calls by hand. */
  readonly client: { readonly certPem: string; readonly keyPem: string };
  readonly access: (bank: SandboxBank) => BankAccess;
}

const TOKEN_LIFE_MS = 600_000;

/** Keys, secrets and certificates are made here, unless the secrets are given. */
export async function highLevel(given: Partial<HighLevelSecrets> = {}): Promise<HighLevel> {
  const {
    tokenRequest = JSON.stringify({ client_secret: randomBytes(24).toString('base64url') }),
    hmacSecret = randomBytes(32).toString('base64url'),
  } = given;
  const { certPem, keyPem, caPem } = await makeClientCertificate();
  // The default scheme of the product's own settings.
  const scheme = readHmacScheme(new SettingsReader({}), BANK_HMAC_TEMPLATE);
  return {
    bankOptions: {
      clientCaPem: caPem,
      tokenService: { request: () => tokenRequest, lifeMs: TOKEN_LIFE_MS },
      verifySignature: hmacVerifier({ scheme, secrets: () => [hmacSecret] }),
    },
    client: { certPem, keyPem },
    access: (bank) => ({
      files: {
        ...caFile(bank),
        'client-cert.pem': certPem,
        'client-key.pem': keyPem,
        'token-request.json': tokenRequest,
        'hmac-secret': hmacSecret,
      },
      settings: {
        ...addressOf(bank),
        BANK_CLIENT_CERT_FILE: 'client-cert.pem',
        BANK_CLIENT_KEY_FILE: 'client-key.pem',
        BANK_TOKEN_URL: `${bank.baseUrl}${TOKEN_PATH}`,
        BANK_TOKEN_REQUEST_FILE: 'token-request.json',
        BANK_HMAC_SECRET_FILE: 'hmac-secret',
      },
    }),
  };
}

const CA_FILE = 'bank-ca.pem';

const caFile = ({ caPem }: SandboxBank): Readonly<Record<string, string>> =>
  caPem === null ? {} : { [CA_FILE]: caPem };

const addressOf = ({ baseUrl, caPem }: SandboxBank) => ({
  BANK_BASE_URL: baseUrl,
  ...(caPem === null ? {} : { BANK_CA_FILE: CA_FILE }),
});
