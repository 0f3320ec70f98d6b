import { isJsonObject, parseJson, stringifyJson } from '../../src/bank/http/json';

/** The fields of a movement that decide whose it is and how it ended. */
export const DECIDING_FIELDS = [
  'status',
  'id',
  'details.originId',
  'details.amount',
  'details.amountCurrency',
  'counterparty.personId',
  'counterparty.accountRouting.address',
  'thisSubAccount.owners.personId',
  'thisSubAccount.accountRouting.address',
] as const;

/** The JSON text with a changed value at a dotted path; other numbers keep their text. */
export const movementWith = (text: string, path: string, value: unknown): string =>
  changed(text, path, (parent, key) => {
    parent[key] = value;
  });

export const movementWithout = (text: string, path: string): string =>
  changed(text, path, (parent, key) => {
    Reflect.deleteProperty(parent, key);
  });

function changed(
  text: string,
  path: string,
  change: (parent: Record<string, unknown>, key: string) => void,
): string {
  const json = parseJson(text);
  if (!json.ok) throw new Error('the text to change is no JSON');
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let parent: unknown = json.value;
  for (const key of keys) parent = isJsonObject(parent) ? parent[key] : undefined;
  if (!isJsonObject(parent) || !(last in parent)) throw new Error(`nothing at ${path}`);
  change(parent, last);
  return stringifyJson(json.value);
}
