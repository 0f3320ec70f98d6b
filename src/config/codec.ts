import { parseKeyRing } from '../codec/key-ring';
import type { KeyRing } from '../codec/key-ring';
import { readSettingsFile } from './files';
import { accept, refuse } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';

/** Null: payloads and orders are in clear. */
export function readKeyRing(reader: SettingsReader): KeyRing | null {
  return reader.optional('CODEC_KEYS_FILE', keyRing);
}

const keyRing: Parser<KeyRing> = (path) => {
  const file = readSettingsFile(path);
  if (!file.ok) return file;
  const parsed = parseKeyRing(file.value);
  return parsed.ok ? accept(parsed.value) : refuse(`the file ${path} ${parsed.reason}`);
};
