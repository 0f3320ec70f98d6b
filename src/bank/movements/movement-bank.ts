import type { ServiceCall } from '../credentials/authorized-call';
import type { MovementDialect } from '../dialect';
import type { AnswerCodes } from '../http/answer-codes';
import { parseJsonPointer } from '../http/json';
import { judgeCreate } from './create-outcome';
import { judgeLookup, judgeRawLookup } from './lookup-outcome';
import type { BankClient, CreateReply, MovementKey, RequestContext } from './port';

export interface MovementBankOptions {
  /** `BANK_TIMEOUT_CREATE`: one create, in ms, from the token to the last byte of the answer. */
  readonly createTimeoutMs: number;
  /** `BANK_TIMEOUT`: the same for one look-up. */
  readonly timeoutMs: number;
  readonly refused: AnswerCodes;
  readonly notFound: AnswerCodes;
}

/** The two money services over HTTPS, in the bank's dialect. Throws at once if a code pointer is invalid. */
export function movementBank(
  call: ServiceCall,
  dialect: MovementDialect,
  { createTimeoutMs, timeoutMs, refused, notFound }: MovementBankOptions,
): BankClient {
  for (const { codePointer } of [refused, notFound]) {
    if (codePointer !== null) parseJsonPointer(codePointer);
  }
  const lookUp = (key: MovementKey, raw: boolean, context: RequestContext) =>
    call(dialect.lookUp(key, { raw }), timeoutMs, context);
  return {
    createBody: dialect.createBody,

    async createTransfer(body, context) {
      const end = await call(dialect.create(body), createTimeoutMs, context);
      if (end.kind === 'not-called') return { kind: 'not-sent', error: end.error };
      const reply = judgeCreate(end.outcome, refused, dialect, Date.now());
      return end.repeated ? afterUnauthorized(reply) : reply;
    },

    async getMovement(key, context) {
      const end = await lookUp(key, false, context);
      if (end.kind === 'not-called') return { kind: 'no-answer', error: end.error };
      return judgeLookup(end.outcome, notFound, dialect, Date.now());
    },

    async getRawMovement(key, context) {
      const end = await lookUp(key, true, context);
      if (end.kind === 'not-called') return { kind: 'no-answer', error: end.error };
      return judgeRawLookup(end.outcome, notFound, Date.now());
    },
  };
}

/**
 * The first call reached the bank and was answered 401, which does not count as a refusal. So even if the repetition
 * was not written, the request may have arrived, and the outcome is unknown.
 */
function afterUnauthorized(reply: CreateReply): CreateReply {
  return reply.kind === 'not-sent' ? { kind: 'unknown', error: reply.error } : reply;
}
