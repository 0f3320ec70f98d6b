import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { RequestError } from '../../domain/transfer/answers';
import type { AnswerCodes } from '../http/answer-codes';
import { callWithToken } from '../credentials/authorized-call';
import type { AuthStyle, CallEnd } from '../credentials/authorized-call';
import type { BankConnection } from '../http/connection';
import type { Permit } from '../limiter/limiter';
import { judgeCreate } from './create-outcome';
import { parseJsonPointer } from '../http/json-pointer';
import { judgeLookup, judgeRawLookup } from './lookup-outcome';
import { movementKeyBody } from './movement-key';
import type { BankClient, CreateReply, RequestContext } from './port';
import { judgeVerification } from '../verifications/verification-outcome';
import type { VerificationBank } from '../verifications/verification-port';
import { createHttpWebhookBank } from '../webhooks/webhook-bank';
import type { WebhookBank } from '../webhooks/webhook-port';

export interface BankClientOptions {
  readonly connection: BankConnection;
  readonly authStyleTransfers: AuthStyle;
  /** Verification query: its method and style; default GET and raw. Never signed. */
  readonly verifications?: { readonly method: 'GET' | 'POST'; readonly authStyle: AuthStyle };
  /** Subscriptions: default bearer. Never signed. */
  readonly authStyleWebhooks?: AuthStyle;
  /** `BANK_TIMEOUT_CREATE`: one create, in ms, from the token to the last byte of the answer. */
  readonly createTimeoutMs: number;
  /** `BANK_TIMEOUT`: one get-movement, likewise. */
  readonly timeoutMs: number;
  readonly refused: AnswerCodes;
  readonly notFound: AnswerCodes;
  /** Adds `X-Giro-Time` where the workflow's time is known (sandbox only). */
  readonly sendWorkflowTime: boolean;
  /** For calls without a permit (`BankLimiter.next`). */
  readonly nextPermit?: () => Promise<Permit>;
}

const CREATE_PATH = '/v2/apibank/movements/transfer-request';
export const LOOKUP_PATH = '/v2/apibank/movements/get-movement';
const VERIFICATION_PATH = '/external/kyc-kyb/api-get-identity-verification-request';

/** They belong to the connection, not to the caller: a foreign value would change the bytes that leave. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'transfer-encoding',
  'upgrade',
]);

const VERIFICATIONS_DEFAULT = { method: 'GET', authStyle: 'raw' } as const;

const NO_CREDENTIALS: RequestError = { code: 'CREDENTIALS', httpStatus: null, retryAfterMs: null };

export type HttpBankClient = BankClient & VerificationBank & WebhookBank & { close(): Promise<void> };

/**
 * The bank over HTTPS. Throws at once on options that cannot work; afterwards only on bugs of ours. `close` lets
 * the calls under way end.
 */
export function createHttpBankClient(options: BankClientOptions): HttpBankClient {
  const { connection } = options;
  const { baseUrl, transport, tokens, signer, extraHeaders, userAgent } = connection;
  for (const [name, value] of Object.entries({ ...extraHeaders, 'User-Agent': userAgent })) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (CONNECTION_HEADERS.has(name.toLowerCase())) throw new Error(`header ${name} cannot be set`);
  }
  for (const { codePointer } of [options.refused, options.notFound]) {
    if (codePointer !== null) parseJsonPointer(codePointer);
  }
  const caller = {
    ...{ transport, baseUrl, tokens, signer },
    authStyle: options.authStyleTransfers,
    nextPermit: options.nextPermit,
  };

  const { method: verificationMethod, authStyle } = options.verifications ?? VERIFICATIONS_DEFAULT;
  const verificationCaller = { ...caller, authStyle, signer: null };

  const headersFor = ({ workflowTime }: RequestContext) => ({
    ...extraHeaders,
    'User-Agent': userAgent,
    ...(options.sendWorkflowTime && workflowTime !== null ? { 'X-Giro-Time': workflowTime } : {}),
  });
  const post = (path: string, body: string, timeoutMs: number, context: RequestContext): Promise<CallEnd> =>
    callWithToken(caller, {
      ...{ method: 'POST', path, query: '', timeoutMs },
      headers: headersFor(context),
      body: Buffer.from(body, 'utf8'),
      permit: context.permit,
    });

  const webhooks = createHttpWebhookBank({
    ...{ connection, timeoutMs: options.timeoutMs, nextPermit: options.nextPermit },
    authStyle: options.authStyleWebhooks ?? 'bearer',
  });

  return {
    ...webhooks,

    async createTransfer(body, context) {
      const end = await post(CREATE_PATH, body, options.createTimeoutMs, context);
      if (end.kind === 'no-credentials') return { kind: 'not-sent', error: NO_CREDENTIALS };
      const reply = judgeCreate(end.outcome, options.refused, Date.now());
      return end.repeated ? afterUnauthorized(reply) : reply;
    },

    async getMovement(key, context) {
      const end = await post(LOOKUP_PATH, movementKeyBody(key, { raw: false }), options.timeoutMs, context);
      if (end.kind === 'no-credentials') return { kind: 'no-answer', error: NO_CREDENTIALS };
      return judgeLookup(end.outcome, options.notFound, Date.now());
    },

    async getRawMovement(key, context) {
      const end = await post(LOOKUP_PATH, movementKeyBody(key, { raw: true }), options.timeoutMs, context);
      if (end.kind === 'no-credentials') return { kind: 'no-answer', error: NO_CREDENTIALS };
      return judgeRawLookup(end.outcome, options.notFound, Date.now());
    },

    async getVerification(requestId, context) {
      const end = await callWithToken(verificationCaller, {
        method: verificationMethod,
        path: VERIFICATION_PATH,
        query: `requestId=${encodeURIComponent(requestId)}`,
        headers: headersFor(context),
        body: null,
        timeoutMs: options.timeoutMs,
        permit: context.permit,
      });
      if (end.kind === 'no-credentials') return { kind: 'no-answer', error: NO_CREDENTIALS };
      return judgeVerification(end.outcome, Date.now());
    },

    close: () => connection.close(),
  };
}

/**
 * The call before this one reached the bank and got a 401. That the repetition was not written is then no proof
 * that nothing of the request was: a 401 is no refusal by our list, so the whole is unknown.
 */
function afterUnauthorized(reply: CreateReply): CreateReply {
  return reply.kind === 'not-sent' ? { kind: 'unknown', error: reply.error } : reply;
}
