import type { IncomingHttpHeaders, RequestOptions } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import type { SandboxBank, SandboxRule } from '../../src/sandbox-bank';
import { startSandboxBank } from '../../src/sandbox-bank';

export const CREATE = '/v2/apibank/movements/transfer-request';
export const QUERY = '/v2/apibank/movements/get-movement';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Parsed by the platform: numbers are doubles. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  readonly tls?: Pick<https.RequestOptions, 'key' | 'cert' | 'servername' | 'ca'>;
}

/** One request on a separate connection. Rejects with the connection's error (`error.code`). */
export function call(bank: SandboxBank, path: string, options: Call = {}): Promise<Reply> {
  const { method = 'POST', body, headers = { 'content-type': 'application/json' }, signal } = options;
  const url = new URL(bank.baseUrl + path);
  const settings: RequestOptions = {
    method,
    headers,
    agent: false,
    ...(signal === undefined ? {} : { signal }),
  };
  const trust = bank.caPem === null ? {} : { ca: bank.caPem };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...settings, ...trust, ...options.tls })
        : http.request(url, settings);
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text,
          get json() {
            return JSON.parse(text) as unknown;
          },
        });
      });
    });
    request.end(body);
  });
}

export interface OrderFields {
  readonly originId?: string;
  readonly amount?: string;
  readonly description?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The text of a create body; numbers are inserted as written. */
export function orderText(fields: OrderFields = {}): string {
  const {
    originId = '4711',
    amount = '1500.25',
    description = 'Factura 17',
    from = '0009001600000000000017',
    to = '9990001800000000000017',
  } = fields;
  const party = (address: string, personId: string) =>
    `{"addressType":"CBU_CVU","address":"${address}","owner":{"personIdType":"CUI","personId":"${personId}"}}`;
  return (
    `{"originId":${originId},"from":${party(from, '30714979732')},"to":${party(to, '20218346414')},` +
    `"body":{"currencyId":"032","amount":${amount},"description":${JSON.stringify(description)},"concept":"FAC"}}`
  );
}

export const create = (bank: SandboxBank, fields: OrderFields = {}, options: Call = {}): Promise<Reply> =>
  call(bank, CREATE, { body: orderText(fields), ...options });

export const query = (bank: SandboxBank, originId = '4711', options: Call = {}): Promise<Reply> =>
  call(bank, QUERY, { body: `{"originId":${originId}}`, ...options });

/** Runs `use` with a bank that is closed afterwards. Plain HTTP, except in tests of TLS. */
export async function withBank(
  rules: readonly SandboxRule[],
  use: (bank: SandboxBank) => Promise<void>,
  options: Parameters<typeof startSandboxBank>[0] = {},
): Promise<void> {
  const bank = await startSandboxBank({ tls: false, rules, ...options });
  try {
    await use(bank);
  } finally {
    await bank.close();
  }
}

/** The error code of a failed call. */
export const failure = (reply: Promise<Reply>): Promise<string> =>
  reply.then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      return code ?? message;
    },
  );

/** Polls until `condition` holds, or the test times out. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
