import type { OrderParty, TransferOrder } from '../../../domain/order';
import type { MovementDialect, WireRequest } from '../../dialect';
import type { MovementKey } from '../../movements/port';
import { readMovement } from './read-movement';

const post = (service: string, body: string): WireRequest => ({
  ...{ method: 'POST', path: `/v2/apibank/movements/${service}`, query: '' },
  body,
});

export const movements: MovementDialect = {
  createBody,
  create: (body) => post('transfer-request', body),
  lookUp: (key, { raw }) => post('get-movement', `{${keyField(key)}${raw ? ',"getRawData":true' : ''}}`),
  readMovement,
};

/**
 * Writes the amount as a JSON number literal with two decimals. `JSON.stringify` of a double would write `100.10` as
 * `100.1`.
 */
function createBody(order: TransferOrder): string {
  const text = (value: string) => JSON.stringify(value);
  const party = ({ addressType, address, owner }: OrderParty) =>
    `{"addressType":${text(addressType)},"address":${text(address)},` +
    `"owner":{"personIdType":${text(owner.personIdType)},"personId":${text(owner.personId)}}}`;
  const { currencyId, amount, description, concept } = order.body;
  return (
    `{"originId":${order.originId},"from":${party(order.from)},"to":${party(order.to)},` +
    `"body":{"currencyId":${text(currencyId)},"amount":${amount},` +
    `"description":${text(description)},"concept":${text(concept)}}}`
  );
}

/**
 * Writes an originId as a JSON number with exactly these digits, even if a double cannot represent it. Writes the other
 * ids as text.
 */
function keyField(key: MovementKey): string {
  if ('originId' in key) {
    // Other text would make broken JSON, or the number of another transfer.
    if (!/^(?:0|[1-9][0-9]{0,39})$/.test(key.originId)) throw new Error('originId must be decimal digits');
    return `"originId":${key.originId}`;
  }
  if ('networkId' in key) return `"networkId":${JSON.stringify(key.networkId)}`;
  return `"debinId":${JSON.stringify(key.debinId)}`;
}
