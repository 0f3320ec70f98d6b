import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { parseOrderAmount } from '../domain/money';
import { canonicalOrderText } from '../domain/order';
import type { TransferOrder } from '../domain/order';
import { proofKeyId } from '../domain/order-proof';
import type { ProofFault } from '../domain/transfer/answers';
import type { OrderSigner } from './order-signers';

/**
 * Loaded with the first proof: without proofs it costs nothing, and test runners without ES modules can still load the
 * importers of this file.
 */
const jose = () => import('jose');

/** The detached compact JWS over the canonical text of an order. `key`: a private Ed25519 key. */
export async function signOrder(
  order: TransferOrder,
  { kid, key }: { readonly kid: string; readonly key: KeyObject },
): Promise<string> {
  const { FlattenedSign } = await jose();
  const jws = await new FlattenedSign(Buffer.from(canonicalOrderText(order), 'utf8'))
    .setProtectedHeader({ alg: 'EdDSA', kid })
    .sign(key);
  return `${String(jws.protected)}..${jws.signature}`;
}

export interface ProvenCase {
  /** The order to verify: about to be sent, or already sent. */
  readonly order: TransferOrder;
  /** Null: the order came without a proof. */
  readonly proof: string | null;
  /** When the order was received: a key retired since then still counts. */
  readonly receivedAt: Date;
}

/**
 * Verifies the proof of an order: a signature over exactly this order, by a key of `signers` that may give it. Null:
 * valid. Otherwise the first broken rule, in this order: form, key, signature, `notAfter`, limits. The journal checks
 * whether the order was given or executed before.
 */
export async function judgeProof(
  signers: readonly OrderSigner[],
  { order, proof, receivedAt }: ProvenCase,
): Promise<ProofFault | null> {
  if (proof === null) return 'PROOF_MISSING';
  const kid = proofKeyId(proof);
  if (kid === null) return 'PROOF_MALFORMED';
  const signer = signers.find((candidate) => candidate.kid === kid);
  if (signer === undefined) return 'PROOF_KEY_UNKNOWN';
  if (!(await isSignature(proof, canonicalOrderText(order), signer))) return 'PROOF_WRONG';
  // Written so that an invalid date or amount is refused.
  if (signer.notAfter !== null && !(receivedAt.getTime() <= Date.parse(signer.notAfter))) {
    return 'PROOF_KEY_RETIRED';
  }
  if (!isListed(signer.fromAccounts, order.from.address)) return 'PROOF_FROM_ACCOUNT';
  if (!isListed(signer.toAccounts, order.to.address)) return 'PROOF_TO_ACCOUNT';
  return isWithin(signer.amountMax, order.body.amount) ? null : 'PROOF_AMOUNT';
}

async function isSignature(proof: string, text: string, signer: OrderSigner): Promise<boolean> {
  const [header = '', signature = ''] = proof.split('..');
  const payload = Buffer.from(text, 'utf8').toString('base64url');
  const { errors, flattenedVerify } = await jose();
  try {
    await flattenedVerify({ protected: header, payload, signature }, publicKey(signer), {
      algorithms: ['EdDSA'],
    });
    return true;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return false;
    throw error;
  }
}

/** Importing a key costs more than a verification. */
const imported = new WeakMap<OrderSigner, KeyObject>();

function publicKey(signer: OrderSigner): KeyObject {
  const known = imported.get(signer);
  if (known !== undefined) return known;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signer.x }, format: 'jwk' });
  imported.set(signer, key);
  return key;
}

const isListed = (accounts: readonly string[] | null, account: string): boolean =>
  accounts === null || accounts.includes(account);

function isWithin(amountMax: string | null, amount: string): boolean {
  if (amountMax === null) return true;
  const [max, asked] = [parseOrderAmount(amountMax), parseOrderAmount(amount)];
  return max.ok && asked.ok && asked.amountMinor <= max.amountMinor;
}
