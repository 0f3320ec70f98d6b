import type { KeyRing } from '../codec/key-ring';
import { SealError } from '../codec/seal';
import type { DifferingValue } from '../domain/echo';
import { openText, sealText } from './sealed-orders';

/** The answer that reported the values: they open for no other one. */
interface AnswerKey {
  readonly originId: number;
  readonly number: number;
}

/** How accounts and tax ids that differ lie in the journal: encrypted, or not at all. */
export interface DifferenceCipher {
  /** There is a key ring: values are kept. */
  readonly seals: boolean;
  /** Null: there is no key ring, so nothing is kept. */
  seal(values: readonly DifferingValue[], answer: AnswerKey): string | null;
  /** @throws SealError */
  open(sealed: string, answer: AnswerKey): readonly DifferingValue[];
}

const context = ({ originId, number }: AnswerKey) => `giro/journal/differing-values/${originId}/${number}`;

/** Under the key ring of `CODEC_KEYS_FILE`; null: nothing is sealed and nothing opens. */
export function differenceCipher(ring: KeyRing | null): DifferenceCipher {
  return {
    seals: ring !== null,
    seal: (values, answer) =>
      ring === null ? null : sealText(ring, context(answer), JSON.stringify(values)),
    open: (sealed, answer) => {
      if (ring === null) {
        throw new SealError(
          'unknown-key',
          'values that differ are kept encrypted, and CODEC_KEYS_FILE is not set',
        );
      }
      return JSON.parse(openText(ring, context(answer), sealed)) as readonly DifferingValue[];
    },
  };
}
