import type { Answer } from './answer';
import { JSON_TYPE, respond } from './answer';

/** Bodies with HTTP 200 that are not a readable Movement, by their name in rules. */
export const MALFORMED_NAMES = [
  /** A page, as gateways send. */
  'html',
  'empty',
  /** Half of the JSON, with the correct length. */
  'truncated',
  /** Half of the JSON with the full length announced, then the connection is closed. */
  'cut-off',
  /** The Movement inside an array. */
  'array',
  'null',
  /** The Movement's JSON inside a JSON string. */
  'string',
  'no-fields',
  'wrong-types',
  /** Two values for `status`. */
  'duplicate-keys',
  /** Latin-1 bytes announced as UTF-8. */
  'wrong-charset',
  /** Announced as gzip, sent plain. */
  'fake-gzip',
  /** A readable Movement among 8 MiB of padding. */
  'huge',
] as const;
export type MalformedName = (typeof MALFORMED_NAMES)[number];

const HUGE_BYTES = 8 * 1024 * 1024;

export function malformedAnswer(name: MalformedName, movementJson: string): Answer {
  const json = (body: string | Buffer) => respond(200, JSON_TYPE, body);
  const half = movementJson.slice(0, movementJson.length / 2);
  switch (name) {
    case 'html':
      return respond(200, 'text/html', '<!DOCTYPE html><html><body>Servicio en mantenimiento</body></html>');
    case 'empty':
      return json('');
    case 'truncated':
      return json(half);
    case 'cut-off':
      return {
        kind: 'respond',
        httpStatus: 200,
        headers: { 'content-type': JSON_TYPE },
        body: Buffer.from(half),
        declaredLength: Buffer.byteLength(movementJson),
      };
    case 'array':
      return json(`[${movementJson}]`);
    case 'null':
      return json('null');
    case 'string':
      return json(JSON.stringify(movementJson));
    case 'no-fields':
      return json('{}');
    case 'wrong-types':
      return json('{"id":{},"status":7,"details":[],"counterparty":"","thisSubAccount":0}');
    case 'duplicate-keys':
      return json(`{"status":"REPEATED",${movementJson.slice(1)}`);
    case 'wrong-charset':
      return json(Buffer.from(movementJson, 'latin1'));
    case 'fake-gzip':
      return respond(200, JSON_TYPE, movementJson, { 'content-encoding': 'gzip' });
    case 'huge':
      return json(`{"padding":"${'x'.repeat(HUGE_BYTES)}",${movementJson.slice(1)}`);
  }
}
