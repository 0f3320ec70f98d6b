import type { BankMovement } from '../book/movement';
import { currentStatus } from '../book/movement';
import { literal, writeJson } from '../json';
import type { Party } from '../order';
import { applyEchoes } from '../rules/echo';
import type { Json } from '../rules/echo';

/** The Movement of bank-api as JSON text, with the rule's wrong and missing fields for this answer (from 1). */
export function movementJson(movement: BankMovement, answerNumber: number): string {
  const json = plainMovement(movement);
  applyEchoes(json, movement.behaviour.echo, answerNumber);
  return writeJson(json);
}

function plainMovement(movement: BankMovement): Json {
  const { order, behaviour } = movement;
  const kind = addressType(order.from.address);
  const owner = { ...person(order.from), personType: isCompany(order.from) ? 'COMPANY' : 'INDIVIDUAL' };
  return {
    id: movement.id,
    status: currentStatus(movement),
    counterparty: {
      ...person(order.to),
      accountRouting: { addressType: addressType(order.to.address), address: order.to.address },
    },
    details: {
      type: `DEBIT_TRANSFER_SENT_${kind}`,
      typeDescription: `Transferencia enviada desde ${kind}`,
      originId: literal(order.originId),
      network: movement.network,
      networkId: movement.networkId,
      postingDatetime: movement.createdAt,
      completedDatetime: movement.completedAt,
      amountCurrency: order.body.currencyId,
      amount: literal(order.body.amount),
      motiveCode: order.body.concept,
      message: order.body.description,
    },
    thisSubAccount: {
      owners: behaviour.owners === 'list' ? [owner] : owner,
      accountRouting: { addressType: kind, address: order.from.address },
    },
  };
}

const person = ({ owner }: Party) => ({
  personId: owner.personId,
  personIdType: owner.personIdType,
  // Not ASCII, which exposes a client that reads bytes in the wrong character set.
  personName: `Razón Señal ${owner.personId.slice(-4)}`,
});

/** CUIT prefixes of companies. */
const isCompany = ({ owner }: Party): boolean => /^3[034]/.test(owner.personId);

const addressType = (address: string): 'CVU' | 'CBU' => (address.startsWith('000') ? 'CVU' : 'CBU');
