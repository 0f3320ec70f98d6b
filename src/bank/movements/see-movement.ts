import { createHash } from 'node:crypto';
import { compareEcho } from '../../domain/echo';
import { recordableStatus } from '../../domain/movement';
import type { TransferOrder } from '../../domain/order';
import type { SeenMovement } from '../../domain/transfer/answers';
import type { Evidence } from './port';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const NETWORK = /^[A-Za-z0-9 _.-]{1,40}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * What a transfer may know of an answer: it goes into the workflow's history, so text of the bank's passes only in
 * the shape of an id, a network's name or a timestamp. Anything else could be personal and becomes null.
 */
export function seeMovement(
  /** Null: nothing is known to compare with, so that the echo is never a match. */
  order: TransferOrder | null,
  { movement, evidenceSha256 }: Evidence,
): SeenMovement {
  const echo =
    order === null ? ({ verdict: 'incomplete', fields: [] } as const) : compareEcho(order, movement);
  return {
    status: recordableStatus(movement.status, shortHash),
    movementId: shaped(ID, movement.id),
    network: shaped(NETWORK, movement.network),
    networkId: shaped(ID, movement.networkId),
    postingAt: shaped(TIMESTAMP, movement.postingAt),
    completedAt: shaped(TIMESTAMP, movement.completedAt),
    echo: echo.verdict,
    echoFields: echo.fields,
    evidenceSha256,
  };
}

const shaped = (shape: RegExp, text: string | null): string | null =>
  text !== null && shape.test(text) ? text : null;

const shortHash = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 8).toUpperCase();
