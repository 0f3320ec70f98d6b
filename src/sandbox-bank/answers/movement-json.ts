import type { BankMovement } from '../book/movement';
import { currentStatus } from '../book/movement';
import { literal, writeJson } from '../json';
import type { Party } from '../order';
import type { Echo } from '../rules/rule-set';

type Json = Record<string, unknown>;

/** The Movement of bank-api as JSON text, with the rule's wrong and missing fields for this answer (from 1). */
export function movementJson(movement: BankMovement, answerNumber: number): string {
  const json = plainMovement(movement);
  for (const echo of movement.behaviour.echo) {
    if (answerNumber >= echo.from && answerNumber <= echo.until) applyEcho(json, echo);
  }
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
  // Not ASCII, so that a client that reads bytes in the wrong character set is noticed.
  personName: `Razón Señal ${owner.personId.slice(-4)}`,
});

/** CUIT prefixes of companies. */
const isCompany = ({ owner }: Party): boolean => /^3[034]/.test(owner.personId);

const addressType = (address: string): 'CVU' | 'CBU' => (address.startsWith('000') ? 'CVU' : 'CBU');

function applyEcho(json: Json, echo: Echo): void {
  for (const [path, value] of echo.set) place(json, path, value);
  for (const path of echo.omit) remove(json, path);
}

function place(json: Json, path: readonly string[], value: unknown): void {
  const [last = '', ...parents] = [...path].reverse();
  let at = json;
  for (const key of parents.reverse()) {
    const next = at[key];
    at = isObject(next) ? next : (at[key] = {});
  }
  at[last] = value;
}

function remove(json: Json, path: readonly string[]): void {
  const [last = '', ...parents] = [...path].reverse();
  let at: unknown = json;
  for (const key of parents.reverse()) at = isObject(at) ? at[key] : undefined;
  if (isObject(at)) Reflect.deleteProperty(at, last);
}

/** A list (`thisSubAccount.owners`) is replaced as a whole. */
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
