import { compareEcho } from '../../domain/echo';
import type { DifferingValue, Echo } from '../../domain/echo';
import { AMOUNT_INTEGER_DIGITS_MAX, canonicalNumber } from '../../domain/money';
import { isBankId, recordableStatus } from '../../domain/movement';
import type { Movement } from '../../domain/movement';
import type { TransferOrder } from '../../domain/order';
import { parseTaxId } from '../../domain/tax-id';
import type { LookupAnswer, ReportedMoney, SeenMovement } from '../../domain/transfer/answers';
import { shortHash } from '../short-hash';
import type { Evidence, LookupReply } from './port';

const NETWORK = /^[A-Za-z0-9 _.-]{1,40}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;
const AMOUNT = new RegExp(`^-?[0-9]{1,${AMOUNT_INTEGER_DIGITS_MAX}}(?:\\.[0-9]{1,6})?$`);
const CURRENCY = /^(?:[A-Z]{3}|[0-9]{1,3})$/;

export interface Observation {
  readonly movement: SeenMovement;
  /** Personal data, for the journal to seal; never in a history, a log or an error. */
  readonly differing: readonly DifferingValue[];
}

const NOTHING_ORDERED: Echo = { verdict: 'incomplete', fields: [], differing: [] };

/**
 * Splits an answer into what a transfer may know, and what only people may see. The first part goes into the workflow's
 * history. So it has only texts in the form of an id, a network's name, a timestamp, an amount or a currency code. Any
 * other text could be personal, and becomes null.
 */
export function observeMovement(
  /** Null: no order to compare with, so the echo is never a match. */
  order: TransferOrder | null,
  { movement, evidenceSha256 }: Evidence,
): Observation {
  const echo = order === null ? NOTHING_ORDERED : compareEcho(order, movement);
  const seen: SeenMovement = {
    status: recordableStatus(movement.status, shortHash),
    movementId: idOrNull(movement.id),
    network: shaped(NETWORK, movement.network),
    networkId: idOrNull(movement.networkId),
    postingAt: shaped(TIMESTAMP, movement.postingAt),
    completedAt: shaped(TIMESTAMP, movement.completedAt),
    echo: echo.verdict,
    echoFields: echo.fields,
    ...(order === null || echo.verdict === 'match' ? {} : { reported: reportedMoney(movement) }),
    evidenceSha256,
  };
  return { movement: seen, differing: echo.differing };
}

/** The same for a look-up's reply. */
export function observeLookup(
  order: TransferOrder | null,
  reply: LookupReply,
): { readonly answer: LookupAnswer; readonly differing: readonly DifferingValue[] } {
  switch (reply.kind) {
    case 'movement': {
      const { movement, differing } = observeMovement(order, reply);
      return {
        answer: { kind: 'movement', movement, retryAfterMs: reply.retryAfterMs ?? null },
        differing,
      };
    }
    case 'not-found':
      return { answer: reply, differing: [] };
    case 'no-answer':
      return { answer: { kind: 'no-answer', error: reply.error }, differing: [] };
  }
}

const reportedMoney = ({ amount, currency }: Movement): ReportedMoney => ({
  amount: amount === null ? null : shapedAmount(amount),
  currency: shaped(CURRENCY, currency),
});

/** The normalised amount. A tax id in the place of the amount is recognised by its check digit. */
function shapedAmount(text: string): string | null {
  const value = shaped(AMOUNT, canonicalNumber(text));
  if (value === null || parseTaxId(value, { checkDigits: true }).ok) return null;
  const [integer = '', decimals = ''] = value.split('.');
  return `${integer}.${decimals.padEnd(2, '0')}`;
}

const idOrNull = (text: string | null): string | null => (text !== null && isBankId(text) ? text : null);

const shaped = (shape: RegExp, text: string | null): string | null =>
  text !== null && shape.test(text) ? text : null;
