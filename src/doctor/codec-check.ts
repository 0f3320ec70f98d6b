import type { KeyRing } from '../codec/key-ring';
import { well } from './finding';
import type { Check } from './finding';

/** The configuration has read the ring already: what is left is to say what it means. */
export const codecCheck = (keyRing: KeyRing | null): Check => ({
  name: 'codec',
  run: () =>
    Promise.resolve(
      well(
        keyRing === null
          ? 'payloads and orders are in clear: CODEC_KEYS_FILE is not set'
          : `payloads and orders are encrypted with key ${keyRing.active}; keys that are read: ${keyRing.keys.size}`,
      ),
    ),
});
