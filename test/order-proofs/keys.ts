import { createPrivateKey } from 'node:crypto';
import { signOrder } from '../../src/order-proofs/order-proof';
import type { OrderSigner } from '../../src/order-proofs/order-signers';
import type { TransferOrder } from '../../src/domain/order';

/** The keys of RFC 8032, section 7.1, tests 1 and 2: for tests only. */
export const BILLING = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'billing-2026',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
};
export const PAYROLL = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'payroll',
  x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
  d: 'TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs',
};
export type TestKey = typeof BILLING;

/** A key in the form of the signers' file. */
export const publicJwk = ({ kty, crv, kid, x }: TestKey, giro?: object) => ({
  ...{ kty, crv, kid, x },
  ...(giro === undefined ? {} : { giro }),
});

export const signerOf = ({ kid, x }: TestKey, limits: Partial<OrderSigner> = {}): OrderSigner => ({
  ...{ kid, x, fromAccounts: null, toAccounts: null, amountMax: null, notAfter: null },
  ...limits,
});

export const proofOf = (order: TransferOrder, jwk: TestKey = BILLING): Promise<string> =>
  signOrder(order, { kid: jwk.kid, key: createPrivateKey({ key: jwk, format: 'jwk' }) });
