import type { BankDialect } from '../src/bank/dialect';
import { ourBank } from '../src/bank/our-bank';
import { DEFAULT_NOT_FOUND, DEFAULT_REFUSED } from '../src/bank/http/answer-codes';
import { parseBaseUrl } from '../src/bank/http/base-url';
import { createHttpBankClient } from '../src/bank/http-bank-client';
import { createHttpTransport } from '../src/bank/http/http-transport';
import { staticToken } from '../src/bank/credentials/token-source';
import type { TransferSettings } from '../src/domain/transfer/settings';
import type { SandboxBank } from '../src/sandbox-bank';

/** A client of a sandbox bank that demands only a token. */
export function openBankClient(
  bank: Pick<SandboxBank, 'baseUrl' | 'caPem'>,
  token: string,
  settings: Pick<TransferSettings, 'createTimeoutMs' | 'lookupTimeoutMs'>,
  dialect: BankDialect = ourBank,
) {
  const baseUrl = parseBaseUrl(bank.baseUrl);
  const material = { caPem: bank.caPem, client: null };
  const tls = () => material;
  const transport = createHttpTransport({ baseUrl, tls });
  return createHttpBankClient({
    connection: {
      ...{ baseUrl, transport, tls, signer: null },
      tokens: staticToken(token),
      extraHeaders: {},
      userAgent: 'giro',
      close: () => transport.close(),
    },
    authStyleTransfers: 'raw',
    createTimeoutMs: settings.createTimeoutMs,
    timeoutMs: settings.lookupTimeoutMs,
    refused: DEFAULT_REFUSED,
    notFound: DEFAULT_NOT_FOUND,
    sendWorkflowTime: true,
    dialect,
  });
}
