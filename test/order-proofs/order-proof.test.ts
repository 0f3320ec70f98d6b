import { createPrivateKey, sign } from 'node:crypto';
import { canonicalOrderText } from '../../src/domain/order';
import type { TransferOrder } from '../../src/domain/order';
import { proofKeyId } from '../../src/domain/order-proof';
import { judgeProof } from '../../src/order-proofs/order-proof';
import type { OrderSigner } from '../../src/order-proofs/order-signers';
import { ORDER } from '../bank/fixtures';
import { BILLING, PAYROLL, proofOf, signerOf } from './keys';

const RECEIVED = new Date('2026-03-01T12:00:00Z');
const judged = async (
  signers: readonly OrderSigner[],
  given: { order?: TransferOrder; proof?: string | null; receivedAt?: Date } = {},
) => {
  const { order = ORDER, receivedAt = RECEIVED } = given;
  const proof = given.proof === undefined ? await proofOf(ORDER) : given.proof;
  return judgeProof(signers, { order, proof, receivedAt });
};

const base64url = (text: string) => Buffer.from(text, 'utf8').toString('base64url');
/** A good signature by the billing key under any header. */
function proofUnder(header: string, payload = base64url(canonicalOrderText(ORDER))): string {
  const key = createPrivateKey({ key: BILLING, format: 'jwk' });
  const signed = sign(null, Buffer.from(`${base64url(header)}.${payload}`), key);
  return `${base64url(header)}..${signed.toString('base64url')}`;
}

test('a proof by a listed key is good, whoever else is listed', async () => {
  expect(await judged([signerOf(PAYROLL), signerOf(BILLING)])).toBeNull();
  expect(
    await judged([signerOf(BILLING)], { proof: proofUnder('{"kid":"billing-2026","alg":"EdDSA"}') }),
  ).toBeNull();
});

test('a proof is missing, or by a key that is not listed', async () => {
  expect(await judged([signerOf(BILLING)], { proof: null })).toBe('PROOF_MISSING');
  expect(await judged([signerOf(PAYROLL)])).toBe('PROOF_KEY_UNKNOWN');
  expect(await judged([])).toBe('PROOF_KEY_UNKNOWN');
});

test.each<[string, (order: TransferOrder) => TransferOrder]>([
  ['amount', (o) => ({ ...o, body: { ...o.body, amount: '100.11' } })],
  ['description', (o) => ({ ...o, body: { ...o.body, description: 'Factura 18' } })],
  ['concept', (o) => ({ ...o, body: { ...o.body, concept: 'VAR' } })],
  ['originId', (o) => ({ ...o, originId: o.originId + 1 })],
  ['source', (o) => ({ ...o, from: { ...o.from, address: '0009001600000000000024' } })],
  ['payee', (o) => ({ ...o, to: { ...o.to, address: '9990001800000000000024' } })],
  ['owner', (o) => ({ ...o, to: { ...o.to, owner: { ...o.to.owner, personId: '20218346415' } } })],
])('the proof of an order with another %s is wrong', async (_, change) => {
  expect(await judged([signerOf(BILLING)], { order: change(ORDER) })).toBe('PROOF_WRONG');
});

test('a signature by another key under a listed kid is wrong', async () => {
  expect(await judged([signerOf({ ...PAYROLL, kid: BILLING.kid })])).toBe('PROOF_WRONG');
  const proof = await proofOf(ORDER, { ...PAYROLL, kid: BILLING.kid });
  expect(await judged([signerOf(BILLING), signerOf(PAYROLL)], { proof })).toBe('PROOF_WRONG');
});

describe('limits of a key', () => {
  test.each<[string, Partial<OrderSigner>, string | null]>([
    ['amountMax is the amount', { amountMax: '100.10' }, null],
    ['amountMax a centavo less', { amountMax: '100.09' }, 'PROOF_AMOUNT'],
    ['a shorter amountMax that is more', { amountMax: '999.00' }, null],
    ['fromAccounts with the account', { fromAccounts: ['0009001600000000000017'] }, null],
    ['fromAccounts without', { fromAccounts: ['9990001800000000000017'] }, 'PROOF_FROM_ACCOUNT'],
    ['toAccounts with the account', { toAccounts: ['9990001800000000000017'] }, null],
    ['toAccounts without', { toAccounts: ['0009001600000000000017'] }, 'PROOF_TO_ACCOUNT'],
    ['notAfter is the moment of receipt', { notAfter: '2026-03-01T12:00:00.000Z' }, null],
    ['notAfter a millisecond before', { notAfter: '2026-03-01T11:59:59.999Z' }, 'PROOF_KEY_RETIRED'],
  ])('%s', async (_, limits, fault) => {
    expect(await judged([signerOf(BILLING, limits)])).toBe(fault);
  });

  test('a moment of receipt that is none is not before the end of a key', async () => {
    const signers = [signerOf(BILLING, { notAfter: '2030-01-01T00:00:00.000Z' })];
    expect(await judged(signers, { receivedAt: new Date(NaN) })).toBe('PROOF_KEY_RETIRED');
  });
});

describe('the form', () => {
  const good = '{"alg":"EdDSA","kid":"billing-2026"}';
  const [header = '', signature = ''] = proofUnder(good).split('..');

  test('names its key', () => {
    expect(proofKeyId(proofUnder(good))).toBe('billing-2026');
    expect(proofKeyId(proofUnder('{ "kid": "a.b_c-D9",\n "alg": "EdDSA" }'))).toBe('a.b_c-D9');
  });

  test.each([
    ['another algorithm', proofUnder('{"alg":"HS256","kid":"billing-2026"}')],
    ['the newer name of the algorithm', proofUnder('{"alg":"Ed25519","kid":"billing-2026"}')],
    ['no algorithm', proofUnder('{"kid":"billing-2026"}')],
    ['alg none', proofUnder('{"alg":"none","kid":"billing-2026"}')],
    ['no kid', proofUnder('{"alg":"EdDSA"}')],
    ['an empty kid', proofUnder('{"alg":"EdDSA","kid":""}')],
    ['a kid that is no text', proofUnder('{"alg":"EdDSA","kid":["billing-2026"]}')],
    ['a kid with a slash', proofUnder('{"alg":"EdDSA","kid":"a/b"}')],
    ['a kid of 65 characters', proofUnder(`{"alg":"EdDSA","kid":"${'a'.repeat(65)}"}`)],
    ['typ', proofUnder('{"alg":"EdDSA","kid":"billing-2026","typ":"JWT"}')],
    ['crit', proofUnder('{"alg":"EdDSA","kid":"billing-2026","crit":["b64"]}')],
    ['b64', proofUnder('{"alg":"EdDSA","kid":"billing-2026","b64":false}', canonicalOrderText(ORDER))],
    ['a key of its own', proofUnder(`{"alg":"EdDSA","kid":"billing-2026","jwk":{}}`)],
    ['a header that is no object', proofUnder('["EdDSA","billing-2026"]')],
    ['a header that is no JSON', proofUnder('alg=EdDSA')],
    ['the payload within', `${header}.${base64url(canonicalOrderText(ORDER))}.${signature}`],
    ['one dot', `${header}.${signature}`],
    ['a shorter signature', `${header}..${signature.slice(0, 85)}`],
    ['spare bits at the end', `${header}..${signature.slice(0, 85)}${signature.endsWith('A') ? 'B' : 'x'}`],
    ['padding', `${header}..${signature}==`],
    ['a line feed behind it', `${header}..${signature}\n`],
    ['standard base64', `${header}..${'+/'.repeat(43)}`],
    ['a header without end', `${'e'.repeat(256)}..${signature}`],
  ])('%s is refused', async (_, proof) => {
    expect(proofKeyId(proof)).toBeNull();
    expect(await judged([signerOf(BILLING)], { proof })).toBe('PROOF_MALFORMED');
  });
});
