import type { BankConnection } from '../bank/connection';
import type { TransportFailure } from '../bank/http/http-outcome';
import { isUsableToken } from '../bank/credentials/token-answer';
import type { BankTokenSource } from '../config/bank-token';
import { well, wrong } from './check-result';
import type { Check } from './check-result';

const WHERE: Readonly<Record<BankTokenSource['kind'], string>> = {
  static: 'BANK_TOKEN',
  file: 'BANK_TOKEN_FILE',
  service: 'BANK_TOKEN_URL',
};

/** Failures that say nothing about the request. */
const CONNECTION: ReadonlySet<string> = new Set<TransportFailure>([
  ...(['TIMEOUT', 'CONNECTION_REFUSED', 'CONNECTION_LOST', 'NAME_LOOKUP', 'TLS', 'UNREACHABLE'] as const),
]);

/** Whether a token was obtained at all; the look-up shows whether the bank accepts the token. */
export const bankTokenCheck = (
  { tokens }: BankConnection,
  source: BankTokenSource,
  /** The last failure of the token service, as a code. */
  lastFailure: () => string | null,
): Check => ({
  name: 'bank-token',
  async run() {
    const where = WHERE[source.kind];
    try {
      const token = await tokens.token();
      return isUsableToken(token)
        ? well(`there is one, by ${where}`)
        : wrong(
            `${where} holds characters that a header may not contain`,
            `put one line of printable ASCII text there`,
          );
    } catch {
      const word = lastFailure();
      return source.kind === 'service'
        ? wrong(
            `the token service gave none${word === null ? '' : ` (${word})`}`,
            word !== null && CONNECTION.has(word)
              ? 'fix bank-tls first; then check BANK_TOKEN_URL'
              : 'check BANK_TOKEN_URL, BANK_TOKEN_REQUEST_FILE and its type, BANK_TOKEN_POINTER',
          )
        : wrong(`${where} holds none that can be used`, 'check the file');
    }
  },
});
