import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { packageRoot } from '../../dev/package-root';
import { open } from '../../src/codec/seal';
import { ringOf } from './key-rings';
import vectors from './vectors.json';

/** The codecs that docs/encryption.md offers to programs in other languages, by the published vectors. */
const PYTHON = join(packageRoot, 'examples', 'codec', 'python');
const GO = join(packageRoot, 'examples', 'codec', 'go');
const PAYLOAD = temporal.api.common.v1.Payload;

const hasPython = spawnSync('python3', ['-c', 'import cryptography']).status === 0;

const SCRIPT = `
import base64, json, sys
from seal import KeyRing, SealError, open_sealed, seal
given = json.load(sys.stdin)
ring = KeyRing(given["ring"]["active"], {k: base64.b64decode(v) for k, v in given["ring"]["keys"].items()})
plain = [open_sealed(ring, p["namespace"], p["keyId"], base64.b64decode(p["data"])) for p in given["payloads"]]
refused = 0
for p, namespace, key_id in [(p, p["namespace"] + "x", p["keyId"]) for p in given["payloads"]] + [
    (p, p["namespace"], "k9") for p in given["payloads"]]:
    try:
        open_sealed(ring, namespace, key_id, base64.b64decode(p["data"]))
    except SealError:
        refused += 1
key_id, data = seal(ring, "default", plain[0])
print(json.dumps({"plain": [base64.b64encode(p).decode() for p in plain], "refused": refused,
    "sealed": {"keyId": key_id, "data": base64.b64encode(data).decode()}}))
`;

(hasPython ? test : test.skip)('Python: opens what Giro sealed, and seals what Giro opens', () => {
  const { stdout, stderr } = spawnSync('python3', ['-c', SCRIPT], {
    cwd: PYTHON,
    input: JSON.stringify(vectors),
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect(stderr).toBe('');
  const result = JSON.parse(stdout) as {
    plain: string[];
    refused: number;
    sealed: { keyId: string; data: string };
  };
  const values = result.plain.map((text) =>
    defaultPayloadConverter.fromPayload(PAYLOAD.decode(Buffer.from(text, 'base64'))),
  );
  expect(values).toEqual(vectors.payloads.map(({ value }) => value));
  expect(result.refused).toBe(2 * vectors.payloads.length);
  const { keyId, data } = result.sealed;
  const opened = open(ringOf(vectors.ring.active, vectors.ring.keys), 'default', {
    ...{ keyId, data: Buffer.from(data, 'base64') },
  });
  expect(opened.toString('base64')).toBe(result.plain[0]);
});

/** Its first build takes its time: on wish. */
(process.env['GIRO_TRY_GO'] === '1' ? test : test.skip)(
  'Go: opens what Giro sealed and what it seals itself',
  () => {
    const { status, stdout, stderr } = spawnSync('go', ['test', './seal'], { cwd: GO, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('ok') });
  },
  300_000,
);

test('docs/encryption.md repeats the vectors', () => {
  const page = readFileSync(join(packageRoot, 'docs', 'encryption.md'), 'utf8');
  const [block] = /```json\n(\{[\s\S]*?"payloads"[\s\S]*?)\n```/.exec(page)?.slice(1) ?? [];
  expect(JSON.parse(block ?? 'null')).toEqual(vectors);
});
