import type { MovementKey } from './port';

/** The exact get-movement body. An originId leaves as the JSON number of these digits, whatever a double can hold. */
export function movementKeyBody(key: MovementKey, options: { readonly raw: boolean }): string {
  return `{${keyField(key)}${options.raw ? ',"getRawData":true' : ''}}`;
}

function keyField(key: MovementKey): string {
  if ('originId' in key) {
    // Anything else would be broken JSON, or another transfer's number.
    if (!/^(?:0|[1-9][0-9]{0,39})$/.test(key.originId)) throw new Error('originId must be decimal digits');
    return `"originId":${key.originId}`;
  }
  if ('networkId' in key) return `"networkId":${JSON.stringify(key.networkId)}`;
  return `"debinId":${JSON.stringify(key.debinId)}`;
}
