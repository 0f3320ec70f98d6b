import { z } from 'zod';
import type { RequestError, RequestErrorCode } from '../../domain/transfer/answers';
import { readAnswerBody } from '../http/answer-body';
import { callWithToken } from '../credentials/authorized-call';
import type { AuthStyle, CallEnd } from '../credentials/authorized-call';
import type { BankConnection } from '../http/connection';
import type { Permit } from '../limiter/limiter';
import { answerError, bodyErrorCode, failureError, isSuccess, statusErrorCode } from '../request-error';
import type { WebhookBank, WebhooksReply } from './webhook-port';

const LIST_PATH = '/external/api/get-webhooks';
const UNSUBSCRIBE_PATH = '/external/api/webhooks-unsubscribe';

const subscriptions = z.array(
  z.object({
    endpoint: z.string(),
    eventType: z.string(),
    info: z
      .string()
      .nullish()
      .transform((info) => info ?? null),
  }),
);

export interface WebhookBankOptions {
  /** Stays its giver's to close. */
  readonly connection: BankConnection;
  /** `BANK_AUTH_STYLE_WEBHOOKS`. */
  readonly authStyle: AuthStyle;
  readonly timeoutMs: number;
  readonly nextPermit?: (() => Promise<Permit>) | undefined;
}

/** The services over HTTPS; not signed (bank-api: level "medium"). Throws on bugs of ours only. */
export function createHttpWebhookBank(options: WebhookBankOptions): WebhookBank {
  const { connection, authStyle, timeoutMs, nextPermit } = options;
  const { baseUrl, transport, tokens, extraHeaders, userAgent } = connection;
  const call = (method: 'GET' | 'POST', path: string, body: Buffer | null): Promise<CallEnd> =>
    callWithToken(
      { transport, baseUrl, tokens, authStyle, signer: null, nextPermit },
      { method, path, query: '', headers: { ...extraHeaders, 'User-Agent': userAgent }, body, timeoutMs },
    );
  return {
    async listWebhooks() {
      return judgeList(await call('GET', LIST_PATH, null));
    },
    async unsubscribe(eventType) {
      const body = Buffer.from(JSON.stringify({ notificationType: eventType }), 'utf8');
      const error = errorOf(await call('POST', UNSUBSCRIBE_PATH, body));
      return error === null ? { kind: 'done' } : { kind: 'no-answer', error };
    },
  };
}

function judgeList(end: CallEnd): WebhooksReply {
  const error = errorOf(end);
  if (error !== null) return { kind: 'no-answer', error };
  if (end.kind !== 'called' || end.outcome.kind !== 'response') throw new Error('an answer without a head');
  const { head, body: bytes } = end.outcome;
  const body = readAnswerBody(head, bytes);
  const unreadable = (code: RequestErrorCode): WebhooksReply => ({
    kind: 'no-answer',
    error: answerError(code, head, Date.now()),
  });
  if (body.kind !== 'json') return unreadable(bodyErrorCode(body));
  const parsed = subscriptions.safeParse(body.value);
  return parsed.success ? { kind: 'subscriptions', subscriptions: parsed.data } : unreadable('UNREADABLE');
}

/** Null: a whole answer of success. */
function errorOf(end: CallEnd): RequestError | null {
  if (end.kind === 'no-credentials') return { code: 'CREDENTIALS', httpStatus: null, retryAfterMs: null };
  const { outcome } = end;
  if (outcome.kind === 'failed') return failureError(outcome, Date.now());
  const { status } = outcome.head;
  return isSuccess(status) ? null : answerError(statusErrorCode(status), outcome.head, Date.now());
}
