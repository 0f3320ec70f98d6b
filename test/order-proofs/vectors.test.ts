import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { canonicalOrderText } from '../../src/domain/order';
import type { TransferOrder } from '../../src/domain/order';
import { judgeProof, signOrder } from '../../src/order-proofs/order-proof';
import { parseOrderSigners } from '../../src/order-proofs/order-signers';
import vectors from './vectors.json';

/** The published proofs: of Giro itself, and of the programs in other languages that docs/signatures.md offers. */

const set = parseOrderSigners(JSON.stringify(vectors.set));
const signers = set.ok ? set.value : [];
const judge = (text: string, proof: string) =>
  judgeProof(signers, { order: JSON.parse(text) as TransferOrder, proof, receivedAt: new Date(0) });

test.each(vectors.proofs)('$name: made and good', async ({ kid, text, orderSha256, proof }) => {
  const order = JSON.parse(text) as TransferOrder;
  expect(canonicalOrderText(order)).toBe(text);
  expect(createHash('sha256').update(text, 'utf8').digest('hex')).toBe(orderSha256);
  const jwk = vectors.keys.find((key) => key.kid === kid)!;
  expect(await signOrder(order, { kid, key: createPrivateKey({ key: jwk, format: 'jwk' }) })).toBe(proof);
  expect(await judge(text, proof)).toBeNull();
});

test.each(vectors.bad)('$name: $rule', async ({ text, proof, rule }) => {
  expect(await judge(text, proof)).toBe(rule);
});

/** `PYTHON` may name one that has `cryptography`. */
const python = process.env['PYTHON'] ?? 'python3';
const SCRIPT = `
import json, sys
from order_proof import is_signed, sign
given = json.load(sys.stdin)
keys = {key["kid"]: key for key in given["keys"]}
print(json.dumps({
    "made": [sign(one["text"], keys[one["kid"]]) for one in given["proofs"]],
    "taken": [is_signed(one["text"], one["proof"], given["set"]) for one in given["proofs"] + given["bad"]],
}))
`;

(spawnSync(python, ['-c', 'import cryptography']).status === 0 ? test : test.skip)(
  'Python makes and checks them (needs python3 with cryptography)',
  () => {
    const { stdout, stderr } = spawnSync(python, ['-c', SCRIPT], {
      cwd: join(packageRoot, 'examples', 'proofs', 'python'),
      input: JSON.stringify(vectors),
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      made: vectors.proofs.map(({ proof }) => proof),
      taken: [...vectors.proofs.map(() => true), ...vectors.bad.map(() => false)],
    });
  },
);

(process.env['GIRO_TRY_GO'] === '1' ? test : test.skip)(
  'Go makes and checks them, with its standard library alone (needs go and GIRO_TRY_GO=1)',
  () => {
    const { status, stdout, stderr } = spawnSync('go', ['test', '-count=1', './...'], {
      ...{ cwd: join(packageRoot, 'examples', 'proofs', 'go'), encoding: 'utf8' },
    });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('ok') });
  },
);

test('docs/signatures.md repeats the vectors', () => {
  const page = readFileSync(join(packageRoot, 'docs', 'signatures.md'), 'utf8');
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, text = '']) => text);
  expect(JSON.parse(blocks.find((text) => text.includes('"proofs"')) ?? 'null')).toEqual(vectors);
  // The example of a key set is one.
  expect(parseOrderSigners(blocks.find((text) => text.includes('"toAccounts"')) ?? '').ok).toBe(true);
});
