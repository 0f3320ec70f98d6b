import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { judgeProof } from '../../src/order-proofs/order-proof';
import { readSigningKey } from '../../src/order-proofs/signing-key';
import { ORDER } from '../bank/fixtures';
import { BILLING, publicJwk, signerOf } from './keys';

const PEM = createPrivateKey({ key: BILLING, format: 'jwk' })
  .export({ type: 'pkcs8', format: 'pem' })
  .toString();
const JWK = JSON.stringify(BILLING);
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

test.each<[string, string, string | undefined, string]>([
  ['a JWK under its own kid', JWK, undefined, 'billing-2026'],
  ['a JWK under another kid', JWK, 'billing', 'billing'],
  ['a PEM under a kid', PEM, 'billing', 'billing'],
  ['a PEM with text before it', `\n${PEM}`, 'billing', 'billing'],
])('%s signs', async (_, text, kid, name) => {
  const read = readSigningKey(text, kid);
  if (!read.ok) throw new Error(read.reason);
  const proof = await read.value(ORDER);
  const signers = [signerOf({ ...BILLING, kid: name })];
  expect(await judgeProof(signers, { order: ORDER, proof, receivedAt: new Date(0) })).toBeNull();
});

const NO_KEY = 'is not a private Ed25519 key, as a JWK or as PKCS#8 PEM without a passphrase';
test.each<[string, string, string | undefined, string]>([
  ['a PEM without a kid', PEM, undefined, 'does not say its kid, so give it with --sign-kid'],
  [
    'a kid that is none',
    PEM,
    'a b',
    'has a kid that must be 1 to 64 letters, digits, dots, dashes or underscores',
  ],
  [
    'a JWK whose kid is no text',
    JSON.stringify({ ...BILLING, kid: 7 }),
    undefined,
    'has a kid that must be 1 to 64 letters, digits, dots, dashes or underscores',
  ],
  ['a public key', JSON.stringify(publicJwk(BILLING)), undefined, NO_KEY],
  ['another curve', ec.export({ type: 'pkcs8', format: 'pem' }).toString(), 'ec', NO_KEY],
  ['a key set', JSON.stringify({ keys: [BILLING] }), 'billing', NO_KEY],
  ['text', 'a secret', 'billing', NO_KEY],
  ['null', 'null', 'billing', NO_KEY],
])('%s is refused', (_, text, kid, reason) => {
  expect(readSigningKey(text, kid)).toEqual({ ok: false, reason });
});
