import { accept, refuse } from './parsers';
import type { Parser } from './parsers';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Set by the client itself, or by HTTP: a second value would break the request or change its meaning. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-giro-time',
]);

export const isHeaderName = (text: string): boolean => HEADER_NAME.test(text);

/** Whether a header is set by the client itself and may not come from a setting. */
export const isReservedHeader = (name: string): boolean => RESERVED.has(name.toLowerCase());

/** The name of a header that a setting may choose. */
export const headerName: Parser<string> = (text) => {
  if (!isHeaderName(text)) return refuse('is not a header name');
  return isReservedHeader(text) ? refuse('is a header that is not free to set') : accept(text);
};
