import { parseBaseUrl } from '../../src/bank/http/base-url';
import type { BankConnection } from '../../src/bank/connection';
import { createHttpBankClient } from '../../src/bank/http-bank-client';
import type { BankClientOptions } from '../../src/bank/http-bank-client';
import { DEFAULT_NOT_FOUND, DEFAULT_REFUSED } from '../../src/bank/http/answer-codes';
import { createHttpTransport } from '../../src/bank/http/http-transport';
import type { TlsMaterial } from '../../src/bank/credentials/tls-material';
import { staticToken } from '../../src/bank/credentials/token-source';
import { observeMovement } from '../../src/bank/movements/observation';
import type { Evidence } from '../../src/bank/movements/port';
import { ourBank } from '../../src/bank/our-bank';
import type { TransferOrder } from '../../src/domain/order';
import type { SeenMovement } from '../../src/domain/transfer/answers';

export const ORDER: TransferOrder = {
  originId: 4711,
  from: {
    addressType: 'CBU_CVU',
    address: '0009001600000000000017',
    owner: { personIdType: 'CUI', personId: '30714979732' },
  },
  to: {
    addressType: 'CBU_CVU',
    address: '9990001800000000000017',
    owner: { personIdType: 'CUI', personId: '20218346414' },
  },
  body: { currencyId: '032', amount: '100.10', description: 'Factura 17', concept: 'FAC' },
};
export const CREATE_BODY = ourBank.movements.createBody(ORDER);

export const TOKEN = 'CANARY-token-5f1c';
/** Texts that only a reply with a movement may contain. */
export const CANARIES = [TOKEN, '0009001600000000000017', '9990001800000000000017', 'CANARY'];

/** As the bank writes it, names included. */
export const MOVEMENT_TEXT = `{
  "id": "8812345678901234567", "status": "IN_PROGRESS",
  "counterparty": {"personId":"20218346414","personIdType":"CUI","personName":"CANARY PEREZ",
    "accountRouting":{"addressType":"CBU","address":"9990001800000000000017"}},
  "details": {"type":"DEBIT_TRANSFER_SENT_CVU","typeDescription":"CANARY text","originId":4711,
    "network":"COELSA","networkId":"EXM1ZL9PQ2QY5QGLN6R08D","postingDatetime":"2026-03-01T12:00:00.000Z",
    "completedDatetime":null,"amountCurrency":"032","amount":100.10,"motiveCode":"FAC","message":"CANARY"},
  "thisSubAccount": {"owners":{"personId":"30714979732","personIdType":"CUI","personName":"CANARY SA","personType":"INDIVIDUAL"},
    "accountRouting":{"addressType":"CVU","address":"0009001600000000000017"}}
}`;

export const IN_NO_WORKFLOW = { workflowTime: null };

export type ClientOverrides = Partial<Omit<BankClientOptions, 'connection'>> &
  Partial<Pick<BankConnection, 'tokens' | 'signer' | 'extraHeaders' | 'userAgent' | 'tls'>> & {
    readonly baseUrl: string;
    readonly caPem?: string | null;
    readonly maxSockets?: number;
  };

export function bankClient({
  baseUrl: address,
  caPem = null,
  tls = (
    (material: TlsMaterial) => () =>
      material
  )({ caPem, client: null }),
  tokens = staticToken(TOKEN),
  signer = null,
  extraHeaders = {},
  userAgent = 'giro-test',
  maxSockets,
  ...overrides
}: ClientOverrides) {
  const baseUrl = parseBaseUrl(address);
  const transport = createHttpTransport({
    baseUrl,
    tls,
    ...(maxSockets === undefined ? {} : { maxSockets }),
  });
  const close = () => transport.close();
  return createHttpBankClient({
    connection: { baseUrl, transport, tokens, signer, tls, extraHeaders, userAgent, close },
    authStyleTransfers: 'raw',
    createTimeoutMs: 20_000,
    timeoutMs: 20_000,
    refused: DEFAULT_REFUSED,
    notFound: DEFAULT_NOT_FOUND,
    sendWorkflowTime: false,
    dialect: ourBank,
    ...overrides,
  });
}

/** What a transfer may know about an answer. */
export const seeMovement = (order: TransferOrder | null, evidence: Evidence): SeenMovement =>
  observeMovement(order, evidence).movement;
