import { isUtf8 } from 'node:buffer';

/**
 * The text of a delivery. JSON is UTF-8; bytes that are not are read one by one (Latin-1), so that ids in them are
 * still found and different bytes stay different texts.
 */
export const bodyText = (body: Buffer): string =>
  isUtf8(body) ? new TextDecoder().decode(body) : body.toString('latin1');
