import { headersFile } from './bank-headers';
import { readBankHmac } from './bank-hmac';
import type { BankHmac } from './bank-hmac';
import { readBankTls } from './bank-tls';
import type { BankTls } from './bank-tls';
import { readBankToken } from './bank-token';
import type { BankTokenSource } from './bank-token';
import { baseUrl } from './bank-url';
import type { BankAddress } from './bank-url';
import { accept, jsonPointer, listOf, oneOf, printable, refuse, wholeNumber } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';
import { readSandbox } from './sandbox';
import { readTimeouts } from './transfer-settings';

/** Which answers mean one thing: by HTTP status, or by a code in the body whatever the status. */
export interface AnswerRule {
  readonly statuses: readonly number[];
  /** `pointer` is a JSON pointer (RFC 6901). */
  readonly code: { readonly pointer: string; readonly values: readonly string[] } | null;
}

/** How to reach the bank; no secrets. */
export interface BankConfig extends BankAddress {
  readonly authStyleTransfers: 'raw' | 'bearer';
  readonly authStyleWebhooks: 'raw' | 'bearer';
  /** The verification query. */
  readonly verifications: { readonly method: 'GET' | 'POST'; readonly authStyle: 'raw' | 'bearer' };
  readonly createTimeoutMs: number;
  readonly lookupTimeoutMs: number;
  /** Calls a second from one worker; 0: no limit. */
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

/** Far beyond what one worker can do. */
const MAX_RPS = 100_000;

export function readBank(
  reader: SettingsReader,
): { readonly config: BankConfig; readonly secrets: BankSecrets } | null {
  const address = reader.required('BANK_BASE_URL', baseUrl);
  const token = readBankToken(reader);
  const headers = reader.optional('BANK_HEADERS_FILE', headersFile) ?? {};
  const tls = readBankTls(reader);
  const hmac = readBankHmac(reader, headers);
  const rest = {
    authStyleTransfers: reader.withDefault('BANK_AUTH_STYLE_TRANSFERS', oneOf(['raw', 'bearer'])),
    authStyleWebhooks: reader.withDefault('BANK_AUTH_STYLE_WEBHOOKS', oneOf(['raw', 'bearer'])),
    verifications: {
      method: reader.withDefault('BANK_KYC_METHOD', oneOf(['GET', 'POST'])),
      authStyle: reader.withDefault('BANK_AUTH_STYLE_KYC', oneOf(['raw', 'bearer'])),
    },
    ...readTimeouts(reader),
    maxRps: reader.withDefault('BANK_MAX_RPS', wholeNumber(0, MAX_RPS)),
    refused: readRule(reader, 'BANK_REFUSED'),
    notFound: readRule(reader, 'BANK_NOT_FOUND'),
    sandbox: readSandbox(reader),
  };
  if (address === null || token === null) return null;
  return { config: { ...address, ...rest }, secrets: { token, headers, tls, hmac } };
}

function readRule(reader: SettingsReader, prefix: 'BANK_REFUSED' | 'BANK_NOT_FOUND'): AnswerRule {
  const statuses = reader.withDefault(`${prefix}_STATUS`, statusList);
  const pointer = reader.optional(`${prefix}_CODE_POINTER`, jsonPointer);
  const values = reader.optional(`${prefix}_CODES`, listOf(printable(100)));
  for (const [name, other] of [
    [`${prefix}_CODE_POINTER`, `${prefix}_CODES`],
    [`${prefix}_CODES`, `${prefix}_CODE_POINTER`],
  ] as const) {
    if (reader.isSet(name) && !reader.isSet(other)) reader.problem(name, `${other} is not set`);
  }
  return { statuses, code: pointer === null || values === null ? null : { pointer, values } };
}

const status: Parser<number> = (text) => {
  if (!/^[1-5][0-9]{2}$/.test(text)) return refuse('is not an HTTP status');
  // A bank that says no with 200 does so by a code; the status alone would turn every good answer into a no.
  return text.startsWith('2') ? refuse('is a status of success') : accept(Number(text));
};

const statusList: Parser<readonly number[]> = (text) => (text === 'none' ? accept([]) : listOf(status)(text));
