import { existsSync } from 'node:fs';
import {
  KEYS_MAX,
  freeReceiverId,
  keyRingText,
  newKeyRing,
  parseKeyRing,
  withActive,
  withFreshKey,
  withReceiverKey,
} from '../codec/key-ring';
import type { KeyRing } from '../codec/key-ring';
import { newReceiverKey, sealKeyText } from '../codec/receiver-key';
import { SETTINGS_FILE_MAX_BYTES, readClosedFile } from '../config/files';
import type { AddCommand } from './support/command';
import { EXIT, InputError } from '../program/exit-codes';
import { replaceSecretFile, whileLocked, writeSecretFile } from './support/secret-file';
import { runCommand } from '../program/run';

const HELP = `
A key encrypts only after every process can read it, so rotation has two steps:
  giro codec rotate FILE --add           a fresh key, not used yet; give FILE to all, restart all
  giro codec rotate FILE --activate k2   now it encrypts; give FILE to all, restart all
Keys of receivers are pairs: workers open with FILE, receivers seal with the public part.
Keep old keys in the file for as long as anything that they encrypted must be readable.`;

export const addCodecKeygen: AddCommand = (parent, { io, end }) => {
  parent
    .command('codec-keygen')
    .description(
      'make a key ring for CODEC_KEYS_FILE: printed, or written to a new file only its owner can read',
    )
    .option('--out <file>', 'write it to this file; an existing file is never overwritten')
    .option(
      '--receiver-out <file>',
      'add a key for receivers, and write its public part to this file (RECEIVER_SEAL_KEY_FILE)',
    )
    .option('--if-missing', 'do nothing if the files exist')
    .addHelpText('after', HELP)
    .action(async ({ out, receiverOut, ifMissing = false }: KeygenOptions) => {
      const code = await runCommand(io, async () => {
        if (ifMissing) {
          if (out === undefined) throw new InputError('--if-missing needs --out FILE');
          const files = [out, receiverOut].filter((file) => file !== undefined);
          const there = files.filter((file) => existsSync(file));
          if (there.length === files.length) return EXIT.done;
          // If one file of the pair exists, do not create the other: the two keys would not match, and nobody could
          // open what receivers seal.
          if (there.length > 0)
            throw new InputError(
              `${there.join()} is there and ${files.filter((file) => !there.includes(file)).join()} is not: put the missing one back, or take both away`,
            );
        }
        const fresh = newKeyRing();
        if (receiverOut !== undefined) refuseExisting(receiverOut);
        const pair =
          receiverOut === undefined ? null : { ...(await withFreshReceiverKey(fresh)), file: receiverOut };
        const text = keyRingText(pair?.ring ?? fresh);
        if (out === undefined) io.stdout.write(text);
        else {
          await writeSecretFile(out, text);
          io.stderr.write(
            `giro: wrote ${out} with key k1; keep a copy in another place: without the key nothing can be read\n`,
          );
        }
        if (pair !== null) await writeSecretFile(pair.file, pair.sealKey);
        return EXIT.done;
      });
      end(code);
    });
};

interface KeygenOptions {
  readonly out?: string;
  readonly receiverOut?: string;
  readonly ifMissing?: boolean;
}

interface RotateOptions {
  readonly add?: boolean;
  readonly activate?: string;
  readonly receiverOut?: string;
}

export const addCodecRotate: AddCommand = (parent, { io, end }) => {
  parent
    .command('rotate')
    .argument(
      '<file>',
      'the key ring (CODEC_KEYS_FILE); replaced in one step, its owner, group and mode are kept',
    )
    .description('change the key that encrypts, in two steps')
    .option('--add', 'add a fresh key that does not encrypt yet')
    .option('--activate <id>', 'let this key encrypt from now on')
    .option(
      '--receiver-out <file>',
      'add a fresh key for receivers, and write its public part to this file (RECEIVER_SEAL_KEY_FILE)',
    )
    .addHelpText('after', HELP)
    .action(async (file: string, { add, activate, receiverOut }: RotateOptions) => {
      const code = await runCommand(io, async () => {
        if ([add, activate, receiverOut].filter((option) => option !== undefined).length !== 1)
          throw new InputError('give one of --add, --activate ID and --receiver-out FILE (see --help)');
        // Two concurrent calls would overwrite each other's file, and a key would be lost.
        const message = await whileLocked(file, async () => {
          const before = readRing(file);
          if (receiverOut !== undefined) {
            refuseExisting(receiverOut);
            const { ring, sealKey } = await withFreshReceiverKey(before);
            await replaceRing(file, ring);
            await writeSecretFile(receiverOut, sealKey);
            return `added a key for receivers; once every worker has it, give ${receiverOut} to the receivers`;
          }
          const { ring, message } = activate === undefined ? added(before) : activated(before, activate);
          await replaceRing(file, ring);
          return message;
        });
        io.stderr.write(`giro: ${file}: ${message}\n`);
        return EXIT.done;
      });
      end(code);
    });
};

interface Rotated {
  readonly ring: KeyRing;
  readonly message: string;
}

/**
 * The ring with a fresh pair, and the text of the public part. Callers write the ring first: nobody could open what a
 * receiver seals to a public part whose private part is in no ring.
 */
async function withFreshReceiverKey(
  before: KeyRing,
): Promise<{ readonly ring: KeyRing; readonly sealKey: string }> {
  const { privateKey, ...sealKey } = await newReceiverKey(freeReceiverId(before));
  return { ring: withReceiverKey(before, sealKey.id, privateKey), sealKey: sealKeyText(sealKey) };
}

/** Call this before anything is written. */
function refuseExisting(path: string): void {
  if (existsSync(path)) throw new InputError(`the file ${path} is there already`);
}

function added(before: KeyRing): Rotated {
  if (before.keys.size >= KEYS_MAX) throw new InputError(`--add: a key ring holds at most ${KEYS_MAX} keys`);
  const { ring, id } = withFreshKey(before);
  return { ring, message: `added key ${id}; once every process has it: --activate ${id}` };
}

function activated(before: KeyRing, id: string): Rotated {
  const ring = withActive(before, id);
  if (ring === null) throw new InputError('--activate: the key ring has no key of this id (--add makes one)');
  return { ring, message: `key ${id} encrypts; the others only decrypt` };
}

async function replaceRing(path: string, ring: KeyRing): Promise<void> {
  const text = keyRingText(ring);
  if (Buffer.byteLength(text) > SETTINGS_FILE_MAX_BYTES) {
    const maxKiB = SETTINGS_FILE_MAX_BYTES / 1024;
    throw new InputError(`the file ${path} would be larger than ${maxKiB} KiB, which no process reads`);
  }
  await replaceSecretFile(path, text);
}

function readRing(path: string): KeyRing {
  const file = readClosedFile(path);
  if (!file.ok) throw new InputError(file.reason);
  const parsed = parseKeyRing(file.value);
  if (!parsed.ok) throw new InputError(`the file ${path} ${parsed.reason}`);
  return parsed.value;
}
