import type { KeyRing } from '../codec/key-ring';
import { SealError } from '../codec/seal';
import { openText, sealText } from './sealed-orders';

/** How full answers of the verification query lie in the journal: encrypted, or not at all. */
export interface AnswerCipher {
  seal(text: string, requestId: string): string;
  /** @throws SealError */
  open(sealed: string, requestId: string): string;
}

const context = (requestId: string) => `giro/journal/verification/${requestId}`;

/** Under the key ring of `CODEC_KEYS_FILE`; null: both methods throw, and nothing is ever stored in clear. */
export function answerCipher(ring: KeyRing | null): AnswerCipher {
  const keys = (): KeyRing => {
    if (ring === null)
      throw new SealError('unknown-key', 'full answers are kept encrypted, and CODEC_KEYS_FILE is not set');
    return ring;
  };
  return {
    seal: (text, requestId) => sealText(keys(), context(requestId), text),
    open: (sealed, requestId) => openText(keys(), context(requestId), sealed),
  };
}
