import { parseKeyRing } from '../codec/key-ring';
import type { KeyRing } from '../codec/key-ring';
import { readClosedFile } from './files';
import { accept, instant, refuse } from './formats';
import type { Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

const keyRing: Parser<KeyRing> = (path) => {
  const file = readClosedFile(path);
  if (!file.ok) return file;
  const parsed = parseKeyRing(file.value);
  return parsed.ok ? accept(parsed.value) : refuse(`the file ${path} ${parsed.reason}`);
};

export const CODEC = variables('Encryption', {
  CODEC_KEYS_FILE: {
    parse: keyRing,
    allowed: 'the path of a JSON file {"active":"ID","keys":{"ID":"<base64 of 32 bytes>",…}}',
    meaning:
      'keys that encrypt payloads in Temporal and orders in the journal; without them both are in clear, and accounts and tax ' +
      'ids of an answer that differ from the order are not kept',
    shown: 'never',
  },
  CODEC_CLEAR_BEFORE: {
    ...instant,
    meaning:
      'with a key ring: orders in clear are sent only if they were received before this time; set it to the time when the last ' +
      'worker without the ring ended; none = no order in clear is sent',
  },
});

export const readClearBefore = (reader: SettingsReader): Date | null => reader.read(CODEC.CODEC_CLEAR_BEFORE);

/** Null: payloads and orders are in clear. */
export const readKeyRing = (reader: SettingsReader): KeyRing | null => reader.read(CODEC.CODEC_KEYS_FILE);
