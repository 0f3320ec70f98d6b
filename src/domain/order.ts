/**
 * A transfer order after normalisation: the bank's own create body, with digits only in accounts and tax ids and an
 * amount of exactly two decimals as text. Plain JSON, so that Temporal's payloads preserve it.
 */
export interface TransferOrder {
  readonly originId: number;
  readonly from: OrderParty;
  readonly to: OrderParty;
  readonly body: OrderBody;
}

/** An order with the proof of who gave it, if any (`order-proof.ts`). */
export type ProvenOrder = TransferOrder & { readonly proof?: string };

export const withProof = (order: TransferOrder, proof: string | null): ProvenOrder =>
  proof === null ? order : { ...order, proof };

export interface OrderParty {
  readonly addressType: 'CBU_CVU';
  /** CBU or CVU, 22 digits. */
  readonly address: string;
  readonly owner: { readonly personIdType: 'CUI'; /** CUIT or CUIL, 11 digits. */ readonly personId: string };
}

export interface OrderBody {
  readonly currencyId: '032';
  /** Two decimals, e.g. `"1500.25"`. */
  readonly amount: string;
  /** May be empty; the recipient may see it. */
  readonly description: string;
  /** The central bank's concept code, e.g. `FAC`. */
  readonly concept: string;
}

/** Concept codes on which several banks agree: the default of `CONCEPTS`. */
export const DEFAULT_CONCEPTS = ['ALQ', 'CUO', 'EXP', 'FAC', 'PRE', 'SEG', 'HON', 'HAB', 'VAR'] as const;

/** The configured limits on orders (contract section 2). */
export interface OrderLimits {
  /** `warn`: a wrong check digit is a warning; `off`: not checked. */
  readonly checkDigits: 'strict' | 'warn' | 'off';
  /** Null: any. */
  readonly concepts: readonly string[] | null;
  /** Decimal string; null: no limit beyond 13 integer digits. */
  readonly amountMax: string | null;
  /** Accounts that may send; null: any. */
  readonly fromAccounts: readonly string[] | null;
  readonly descriptionMaxLength: number;
  readonly originIdMin: number;
  readonly originIdMax: number;
}

export const DEFAULT_ORDER_LIMITS: OrderLimits = {
  checkDigits: 'strict',
  concepts: DEFAULT_CONCEPTS,
  amountMax: null,
  fromAccounts: null,
  descriptionMaxLength: 100,
  originIdMin: 1,
  originIdMax: Number.MAX_SAFE_INTEGER,
};

/** Limits under which only the form of an order is checked. */
export const NO_ORDER_LIMITS: OrderLimits = {
  checkDigits: 'off',
  concepts: null,
  amountMax: null,
  fromAccounts: null,
  descriptionMaxLength: Number.MAX_SAFE_INTEGER,
  originIdMin: Number.MIN_SAFE_INTEGER,
  originIdMax: Number.MAX_SAFE_INTEGER,
};

/** The id of the workflow that drives a transfer. */
export const transferWorkflowId = (originId: number): string => `transfer-${originId}`;

/** The inverse of `transferWorkflowId`; null: not such an id. */
export function originIdOfWorkflow(workflowId: string): number | null {
  const [, digits] = /^transfer-([1-9]\d{0,15})$/.exec(workflowId) ?? [];
  const originId = Number(digits);
  return Number.isSafeInteger(originId) ? originId : null;
}

/**
 * The text whose SHA-256 is an order's fingerprint (`orderSha256`): keys in this fixed order, no spaces. Orders that
 * are equal after normalisation have the same text, from any writer and in any key order.
 */
export function canonicalOrderText(order: TransferOrder): string {
  const party = ({ addressType, address, owner }: OrderParty) => ({
    addressType,
    address,
    owner: { personIdType: owner.personIdType, personId: owner.personId },
  });
  const { currencyId, amount, description, concept } = order.body;
  return JSON.stringify({
    originId: order.originId,
    from: party(order.from),
    to: party(order.to),
    body: { currencyId, amount, description, concept },
  });
}
