import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseKeyRing } from '../codec/key-ring';
import type { KeyRing } from '../codec/key-ring';
import { keyRingText, newKeyRing, withActive, withFreshKey } from '../codec/key-ring-file';
import { readSettingsFile } from '../config/files';
import type { AddCommand } from './support/command';
import { EXIT } from './support/exit-codes';
import { InputError } from './support/failure';
import { runCommand } from './support/run-command';

const HELP = `
A key encrypts only after every process can read it, so rotation has two steps:
  giro codec rotate FILE --add           a fresh key, not used yet; give FILE to all, restart all
  giro codec rotate FILE --activate k2   now it encrypts; give FILE to all, restart all
Old keys stay in the file for as long as anything they encrypted is to be read.`;

export const addCodecKeygen: AddCommand = (parent, { io, end }) => {
  parent
    .command('codec-keygen')
    .description(
      'make a key ring for CODEC_KEYS_FILE: printed, or written to a new file only its owner can read',
    )
    .option('--out <file>', 'write it there; an existing file is never overwritten')
    .addHelpText('after', HELP)
    .action(async ({ out }: { readonly out?: string }) => {
      const code = await runCommand(io, async () => {
        const text = keyRingText(newKeyRing());
        if (out === undefined) io.stdout.write(text);
        else {
          await writeNew(out, text);
          io.stderr.write(
            `giro: wrote ${out} with key k1; keep a copy apart: without it nothing can be read\n`,
          );
        }
        return EXIT.done;
      });
      end(code);
    });
};

interface RotateOptions {
  readonly add?: boolean;
  readonly activate?: string;
}

export const addCodecRotate: AddCommand = (parent, { io, end }) => {
  parent
    .command('rotate')
    .argument('<file>', 'the key ring (CODEC_KEYS_FILE); replaced in one step')
    .description('change the key that encrypts, in two steps')
    .option('--add', 'add a fresh key that does not encrypt yet')
    .option('--activate <id>', 'let this key encrypt from now on')
    .addHelpText('after', HELP)
    .action(async (file: string, { add, activate }: RotateOptions) => {
      const code = await runCommand(io, async () => {
        if ((add === true) === (activate !== undefined))
          throw new InputError('give either --add or --activate ID (--help tells more)');
        const { ring, told } =
          activate === undefined ? added(readRing(file)) : activated(readRing(file), activate);
        await replace(file, keyRingText(ring));
        io.stderr.write(`giro: ${file}: ${told}\n`);
        return EXIT.done;
      });
      end(code);
    });
};

interface Rotated {
  readonly ring: KeyRing;
  readonly told: string;
}

function added(before: KeyRing): Rotated {
  const { ring, id } = withFreshKey(before);
  return { ring, told: `added key ${id}; once every process has it: --activate ${id}` };
}

function activated(before: KeyRing, id: string): Rotated {
  const ring = withActive(before, id);
  if (ring === null) throw new InputError('--activate: the key ring has no key of this id (--add makes one)');
  return { ring, told: `key ${id} encrypts; the others only decrypt` };
}

function readRing(path: string): KeyRing {
  const file = readSettingsFile(path);
  if (!file.ok) throw new InputError(file.reason);
  const parsed = parseKeyRing(file.value);
  if (!parsed.ok) throw new InputError(`the file ${path} ${parsed.reason}`);
  return parsed.value;
}

const OWNER_ONLY = 0o600;

/** @throws InputError the file is there, or cannot be written */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, 'wx', OWNER_ONLY);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new InputError(
      `the file ${path} ${code === 'EEXIST' ? 'is there already' : `cannot be written (${code})`}`,
    );
  }
}

/** Whole or not at all: half a key ring would make a bank's worth of payloads unreadable. */
async function replace(path: string, text: string): Promise<void> {
  const beside = join(dirname(path), `.giro-keys-${randomBytes(6).toString('hex')}`);
  await writeNew(beside, text);
  try {
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw new InputError(
      `the file ${path} cannot be replaced (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}
