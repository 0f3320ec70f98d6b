import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Outcome } from '../answers/answer';
import type { RequestLog, RequestRecord } from '../book/request-log';
import type { Connections } from './connections';

/** One request on its way through the bank. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
}

export interface DeliveryContext {
  readonly log: RequestLog;
  readonly connections: Connections;
  /** Aborted when the bank closes. */
  readonly closing: AbortSignal;
}

/** Does to the connection what the outcome says, and enters it in the log. */
export async function deliver(exchange: Exchange, outcome: Outcome, context: DeliveryContext): Promise<void> {
  const { response, record } = exchange;
  record.outcome = outcome.outcome;
  if (outcome.delayMs > 0) {
    await delay(outcome.delayMs, undefined, { signal: context.closing }).catch(ignoreAbort);
    if (response.destroyed || context.closing.aborted) return;
  }
  record.movementStatus = outcome.movementStatus;
  perform(outcome.answer, exchange, context);
}

function perform(answer: Answer, { request, response, record }: Exchange, context: DeliveryContext): void {
  switch (answer.kind) {
    case 'respond':
      // Before the bytes go out: who reads the books after the answer must find it there.
      context.log.finished(record, answer.httpStatus);
      response.writeHead(answer.httpStatus, {
        ...answer.headers,
        ...lengthHeader(answer.httpStatus, answer.declaredLength ?? answer.body.length),
      });
      if (answer.declaredLength === null) response.end(answer.body);
      else response.write(answer.body, () => request.socket.destroy());
      return;
    case 'hold': {
      const bound = setTimeout(() => {
        context.log.finished(record, null);
        request.socket.destroy();
      }, answer.holdMs);
      response.once('close', () => clearTimeout(bound));
      return;
    }
    case 'close':
      context.log.finished(record, null);
      request.socket.destroy();
      return;
    case 'reset':
      context.log.finished(record, null);
      context.connections.reset(request.socket);
      return;
  }
}

/** An answer that may have no body must not speak of its length. */
const lengthHeader = (httpStatus: number, length: number) =>
  httpStatus === 204 || httpStatus === 304 ? {} : { 'content-length': length };

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
