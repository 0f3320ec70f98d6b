import { baseUrl } from './bank-url';
import { oneOf } from './parsers';
import type { SettingsReader } from './reader';

/**
 * `GIRO_SANDBOX=1` is refused unless the bank is known to be on loopback: with it, a real bank would be asked
 * faster than it allows.
 */
export function readSandbox(reader: SettingsReader): boolean {
  if (reader.optional('GIRO_SANDBOX', oneOf(['1'])) === null) return false;
  const bank = baseUrl(reader.env['BANK_BASE_URL'] ?? '');
  if (!bank.ok || !bank.value.onLoopback)
    reader.problem('GIRO_SANDBOX', 'the bank of BANK_BASE_URL is not on loopback');
  return true;
}
