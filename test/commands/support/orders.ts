import { randomInt } from 'node:crypto';

/** Accounts and tax ids of an order, which no message may repeat. */
export const PERSONAL = ['0009001600000000000017', '9990001800000000000017', '30714979732', '20218346414'];

export function order(originId: unknown, body: Readonly<Record<string, unknown>> = {}) {
  const [from, to, fromOwner, toOwner] = PERSONAL;
  return {
    originId,
    from: { addressType: 'CBU_CVU', address: from, owner: { personIdType: 'CUI', personId: fromOwner } },
    to: { addressType: 'CBU_CVU', address: to, owner: { personIdType: 'CUI', personId: toOwner } },
    body: { currencyId: '032', amount: '1500.25', description: 'Factura 17', concept: 'FAC', ...body },
  };
}

export function orderByReference(reference: unknown, body: Readonly<Record<string, unknown>> = {}) {
  const { originId: _, ...rest } = order(0, body);
  return { reference, ...rest };
}

/** Test files share an engine, and so its workflow ids: every originId must be unique. */
export const freshOriginId = (): number => 1_000_000_000_000 + randomInt(2 ** 47);
