import { baseUrl } from './address';
import { duration, oneOf } from './formats';
import { variables } from './variable';
import type { Declaration, SettingsReader } from './variable';

/** Where the bank is, and the sandbox mode, which depends on that. */
export const BANK_ADDRESS = variables('Bank', {
  BANK_BASE_URL: {
    parse: baseUrl,
    allowed: 'https://HOST[:PORT][/PREFIX] without credentials, query or fragment; http:// only on loopback',
    meaning: 'address of the bank; required by programs that call it',
    shown: 'url',
  },
});

export const SANDBOX = variables('Process', {
  GIRO_SANDBOX: {
    parse: oneOf(['1']).parse,
    allowed: '1, only with a bank on loopback; or not set',
    meaning: 'lifts the lower bounds of the cadences and adds X-Giro-Time to bank requests',
  },
});

/**
 * The sandbox mode is refused unless the bank is known to be on loopback: in this mode, a real bank would be asked
 * faster than it allows.
 */
export function readSandbox(reader: SettingsReader): boolean {
  if (reader.read(SANDBOX.GIRO_SANDBOX) === null) return false;
  const bank = baseUrl(reader.text(BANK_ADDRESS.BANK_BASE_URL) ?? '');
  if (!bank.ok || !bank.value.onLoopback)
    reader.problem(SANDBOX.GIRO_SANDBOX, 'the bank of BANK_BASE_URL is not on loopback');
  return true;
}

/** A gap between requests to the bank: its lower bound does not hold in a sandbox. */
export const cadence = (minMs: number): Pick<Declaration<number>, 'parse' | 'allowed'> => ({
  parse: (text, reader) => duration({ minMs: readSandbox(reader) ? 1 : minMs }).parse(text),
  allowed: duration({ minMs }).allowed,
});
