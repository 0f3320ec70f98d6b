import type { BaseAddress } from './address';
import { NOT_FOUND, REFUSED, readAnswerRule } from './answer-rule';
import type { AnswerRule } from './answer-rule';
import { BANK_ADDRESS, readSandbox } from './bank-address';
import { readBankHmac } from './bank-hmac';
import type { BankHmac } from './bank-hmac';
import { readBankTls } from './bank-tls';
import type { BankTls } from './bank-tls';
import { readBankToken } from './bank-token';
import type { BankTokenSource } from './bank-token';
import { oneOf, wholeNumber } from './formats';
import { FURTHER_HEADERS } from './headers';
import { readTimeouts } from './transfer-settings';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** How to reach the bank; no secrets. */
export interface BankConfig extends BaseAddress {
  readonly authStyleTransfers: 'raw' | 'bearer';
  readonly authStyleWebhooks: 'raw' | 'bearer';
  /** The verification query. */
  readonly verifications: { readonly method: 'GET' | 'POST'; readonly authStyle: 'raw' | 'bearer' };
  readonly createTimeoutMs: number;
  readonly lookupTimeoutMs: number;
  /** Calls per second from one worker; 0: no limit. */
  readonly maxRps: number;
  readonly refused: AnswerRule;
  readonly notFound: AnswerRule;
  /** `GIRO_SANDBOX`: requests carry `X-Giro-Time`. */
  readonly sandbox: boolean;
}

export interface BankSecrets {
  readonly token: BankTokenSource;
  /** Further headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: BankTls;
  /** Null: requests are not signed. */
  readonly hmac: BankHmac | null;
}

/** How some of the bank's services expect `Authorization` to be written. */
const authStyle = (style: 'raw' | 'bearer', services: string) => ({
  ...oneOf(['raw', 'bearer']),
  default: style,
  meaning: `\`Authorization: <token>\` or \`Authorization: Bearer <token>\` for ${services}`,
});

/** Far beyond what one worker can do. */
export const MAX_RPS = 100_000;

export const BANK_TRANSFERS = variables('Bank', {
  BANK_AUTH_STYLE_TRANSFERS: authStyle('raw', 'transfers and movements'),
});

export const BANK_RATE = variables('Bank', {
  BANK_MAX_RPS: {
    ...wholeNumber(0, MAX_RPS),
    default: '100',
    meaning: 'maximum number of calls a second from one worker; 0 = no limit',
  },
});

export const BANK_WEBHOOKS = variables('Webhooks', {
  BANK_AUTH_STYLE_WEBHOOKS: authStyle('bearer', 'the services about subscriptions'),
});

export const BANK_VERIFICATIONS = variables('Verifications', {
  BANK_KYC_METHOD: {
    ...oneOf(['GET', 'POST']),
    default: 'GET',
    meaning:
      "HTTP method of the verification query (the bank's reference names both); the bank may answer the other one with 405",
  },
  BANK_AUTH_STYLE_KYC: authStyle('raw', 'the verification query'),
});

export function readBank(
  reader: SettingsReader,
): { readonly config: BankConfig; readonly secrets: BankSecrets } | null {
  const address = reader.required(BANK_ADDRESS.BANK_BASE_URL);
  const token = readBankToken(reader);
  const headers = reader.read(FURTHER_HEADERS.BANK_HEADERS_FILE) ?? {};
  const tls = readBankTls(reader);
  const hmac = readBankHmac(reader, headers);
  const rest = {
    authStyleTransfers: reader.read(BANK_TRANSFERS.BANK_AUTH_STYLE_TRANSFERS),
    authStyleWebhooks: reader.read(BANK_WEBHOOKS.BANK_AUTH_STYLE_WEBHOOKS),
    verifications: {
      method: reader.read(BANK_VERIFICATIONS.BANK_KYC_METHOD),
      authStyle: reader.read(BANK_VERIFICATIONS.BANK_AUTH_STYLE_KYC),
    },
    ...readTimeouts(reader),
    maxRps: reader.read(BANK_RATE.BANK_MAX_RPS),
    refused: readAnswerRule(reader, REFUSED),
    notFound: readAnswerRule(reader, NOT_FOUND),
    sandbox: readSandbox(reader),
  };
  if (address === null || token === null) return null;
  return { config: { ...address, ...rest }, secrets: { token, headers, tls, hmac } };
}
