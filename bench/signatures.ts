import { generateKeyPairSync } from 'node:crypto';
import { madeUpOrder } from '../dev/made-up-order';
import { makeKeys } from '../dev/made-ssh-keys';
import { readAllowedSigners } from '../src/decisions/allowed-signers';
import { judgeKeptSignature } from '../src/decisions/decision-signature';
import { orderFingerprint } from '../src/domain/order-fingerprint';
import { decisionLine } from '../src/domain/transfer/decisions/decision-line';
import { judgeProof, signOrder } from '../src/order-proofs/order-proof';

const TIMES = 2_000;

/** Processor time of one verification, in ms: of an order's proof, and of a decision by each kind of key. */
export async function verificationTimes(): Promise<readonly (readonly [string, number])[]> {
  const rows: [string, number][] = [['proof of an order', await timeOfProof()]];
  for (const { type, base64, sign } of makeKeys()) {
    const listed = readAllowedSigners(`ana ${type} ${base64}`);
    if (!listed.ok) throw new Error(listed.reason);
    const line = decisionLine({
      ...{ action: 'accept-failed', operator: 'ana', reason: 'letter', originId: 1, evidenceNumber: 2 },
      ...{ expiresAt: new Date(Date.now() + 1_800_000).toISOString(), namespace: 'default' },
      orderSha256: orderFingerprint(madeUpOrder(1, 'bench')),
    });
    const kept = { line, signature: sign(line), signers: listed.signers, atMs: Date.now() };
    const judge = (): Promise<void> => {
      const judged = judgeKeptSignature(kept);
      if (!judged.ok) throw new Error(judged.says);
      return Promise.resolve();
    };
    rows.push([`decision, ${type}`, await timeOf(judge)]);
  }
  return rows;
}

async function timeOfProof(): Promise<number> {
  const order = madeUpOrder(1, 'bench');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const signer = { kid: 'bench', x, fromAccounts: null, toAccounts: null, amountMax: null, notAfter: null };
  const proof = await signOrder(order, { kid: 'bench', key: privateKey });
  return timeOf(async () => {
    const fault = await judgeProof([signer], { order, proof, receivedAt: new Date() });
    if (fault !== null) throw new Error(fault);
  });
}

/** Warm-up: the code gets compiled. */
async function timeOf(judge: () => Promise<void>): Promise<number> {
  for (let i = 0; i < TIMES / 4; i += 1) await judge();
  const before = process.cpuUsage();
  for (let i = 0; i < TIMES; i += 1) await judge();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / TIMES;
}
