import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { packageRoot } from '../../dev/package-root';
import { decryptPayload, encryptPayload, isEncrypted } from '../../src/codec/payload-codec';
import { open } from '../../src/codec/seal';
import { ringOf } from './key-rings';
import vectors from './vectors.json';

/** The codecs that docs/encryption.md offers to programs in other languages, by the published vectors. */
const PYTHON = join(packageRoot, 'examples', 'codec', 'python');
const GO = join(packageRoot, 'examples', 'codec', 'go');
const PAYLOAD = temporal.api.common.v1.Payload;

/** `PYTHON` may name one that has what examples/codec/python/requirements.txt lists. */
const python = process.env['PYTHON'] ?? 'python3';
const has = (module: string): boolean => spawnSync(python, ['-c', `import ${module}`]).status === 0;

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

(has('cryptography') ? test : test.skip)(
  'Python: opens what Giro sealed, and seals what Giro opens (needs python3 with cryptography)',
  () => {
    const { stdout, stderr } = spawnSync(python, ['-c', SCRIPT], {
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
  },
);

/** As a caller's Temporal client converts: a payload that this process has sealed, and one back. */
const CODEC_SCRIPT = `
import asyncio, base64, json, sys
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from giro_codec import data_converter
from seal import KeyRing, SealError
given = json.load(sys.stdin)
ring = KeyRing(given["ring"]["active"], {k: base64.b64decode(v) for k, v in given["ring"]["keys"].items()})
payload = Payload.FromString(base64.b64decode(given["payload"]))
async def main():
    here = data_converter(ring, "default")
    [value] = await here.decode([payload])
    try:
        await data_converter(ring, "elsewhere").decode([payload])
        moved = "opened"
    except SealError:
        moved = "refused"
    [sealed] = await here.encode([{"from": "Python"}])
    failure = Failure()
    await here.encode_failure(ValueError("a secret"), failure)
    print(json.dumps({"value": value, "moved": moved, "failure": failure.message,
        "sealed": base64.b64encode(sealed.SerializeToString()).decode()}))
asyncio.run(main())
`;

(has('cryptography, temporalio') ? test : test.skip)(
  "Python: Temporal's SDK converts with it (needs python3 with cryptography and temporalio)",
  () => {
    const ring = ringOf(vectors.ring.active, vectors.ring.keys);
    const payload = encryptPayload(
      ring,
      'default',
      defaultPayloadConverter.toPayload({ from: 'TypeScript' }),
    );
    const { stdout, stderr } = spawnSync(python, ['-c', CODEC_SCRIPT], {
      cwd: PYTHON,
      input: JSON.stringify({
        ring: vectors.ring,
        payload: Buffer.from(PAYLOAD.encode(PAYLOAD.create(payload)).finish()).toString('base64'),
      }),
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(stderr).toBe('');
    const { sealed, ...told } = JSON.parse(stdout) as { readonly sealed: string };
    expect(told).toEqual({ value: { from: 'TypeScript' }, moved: 'refused', failure: 'Encoded failure' });
    const back = PAYLOAD.decode(Buffer.from(sealed, 'base64'));
    expect(isEncrypted(back)).toBe(true);
    expect(defaultPayloadConverter.fromPayload(decryptPayload(ring, 'default', back))).toEqual({
      from: 'Python',
    });
  },
);

/** Only on request: the first build fetches modules and takes long. */
(process.env['GIRO_TRY_GO'] === '1' ? test : test.skip)(
  "Go: opens what Giro sealed, and seals what Giro opens, also as a converter of Temporal's SDK (needs go and GIRO_TRY_GO=1)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'giro-go-'));
    const path = join(folder, 'sealed.json');
    try {
      const { status, stdout, stderr } = spawnSync('go', ['test', '-count=1', './...'], {
        ...{ cwd: GO, encoding: 'utf8', env: { ...process.env, GIRO_SEALED_TO: path } },
      });
      expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('ok') });
      const { keyId, data } = JSON.parse(readFileSync(path, 'utf8')) as { keyId: string; data: string };
      const opened = open(ringOf(vectors.ring.active, vectors.ring.keys), 'default', {
        ...{ keyId, data: Buffer.from(data, 'base64') },
      });
      expect(defaultPayloadConverter.fromPayload(PAYLOAD.decode(opened))).toEqual({ from: 'Go' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test('docs/encryption.md repeats the vectors', () => {
  const page = readFileSync(join(packageRoot, 'docs', 'encryption.md'), 'utf8');
  const [block] = /```json\n(\{[\s\S]*?"payloads"[\s\S]*?)\n```/.exec(page)?.slice(1) ?? [];
  expect(JSON.parse(block ?? 'null')).toEqual(vectors);
});
