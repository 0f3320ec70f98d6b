import type { CreateReply, LookupReply } from '../movements/port';
import type { RequestErrorCode } from '../../domain/transfer/answers';
import type { Health } from './circuit-breaker';

/** The bank was not reached. */
const UNREACHED: ReadonlySet<RequestErrorCode> = new Set<RequestErrorCode>([
  'CONNECTION_REFUSED',
  'NAME_LOOKUP',
  'TLS',
  'UNREACHABLE',
]);

/** Not the bank's own answer, or none: a page of an intermediary, a time-out, an answer cut short. */
const UNCLEAR: ReadonlySet<RequestErrorCode> = new Set<RequestErrorCode>([
  'TIMEOUT',
  'CONNECTION_LOST',
  'REDIRECT',
  'UNREADABLE',
  'TOO_LARGE',
]);

/**
 * What an outcome says about the bank's health; null: no request was made. A refusal, a not-found
 * and a 4xx come from a working bank, unless the error is in `UNCLEAR`: an answer that was cut short, or a listed
 * not-found status with a page of an intermediary.
 */
export function healthOf(reply: CreateReply | LookupReply): Health | null {
  if (!('error' in reply)) return 'good';
  const { code, httpStatus } = reply.error;
  if (code === 'CREDENTIALS' || code === 'TOO_LATE') return null;
  const isUnsent = reply.kind === 'not-sent' || (reply.kind === 'no-answer' && reply.isUnsent === true);
  if (isUnsent || UNREACHED.has(code) || (httpStatus !== null && httpStatus >= 500)) return 'bad';
  return UNCLEAR.has(code) ? 'unclear' : 'good';
}
