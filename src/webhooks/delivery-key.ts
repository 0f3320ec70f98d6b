import { createHash } from 'node:crypto';
import { isJsonObject, parseJson, scalarText, stringifyJson } from '../bank/http/json';
import { parseJsonPointer, valueAt } from '../bank/http/json-pointer';
import { bodyText } from './notification';

/** The one field of the known envelopes that differs between repeats of a delivery. */
const REPEAT_COUNTER = 'redeliveries';

/**
 * What is equal for repeats of one delivery: the signed id, else the value at `WEBHOOK_DELIVERY_ID_POINTER`, else the
 * content, without the counter of repeats. An `id` that merely stands in the body is not trusted to be the delivery's:
 * in flat events it is the movement's, and two events of one movement must not count as one.
 */
export function deliveryKey(body: Buffer, signedId: string | null, idPointer: string | null): string {
  if (signedId !== null) return idKey(signedId);
  const text = bodyText(body);
  const mayTell = idPointer !== null || text.includes(REPEAT_COUNTER);
  const parsed = mayTell ? parseJson(text) : null;
  if (parsed?.ok !== true) return `sha256:${sha256(body)}`;
  const { value } = parsed;
  const id = idPointer === null ? null : scalarText(valueAt(value, parseJsonPointer(idPointer)));
  if (id !== null && id !== '') return idKey(id);
  if (!isJsonObject(value) || !Object.hasOwn(value, REPEAT_COUNTER)) return `sha256:${sha256(body)}`;
  const { [REPEAT_COUNTER]: _, ...content } = value;
  return `sha256:${sha256(stringifyJson(content))}`;
}

const idKey = (id: string): string =>
  /^[\x21-\x7e]{1,200}$/.test(id) ? `id:${id}` : `id-sha256:${sha256(id)}`;

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
