import { parseOrderAmount } from '../domain/money';
import type { Money } from './books';
import { SEVERITIES } from './break';
import type { Severity } from './break';
import { FINDINGS } from './findings';
import type { SubCase } from './findings';

/** From here a sum is more than one ordinary mistake costs: ten million pesos, in centavos. */
const LARGE_AMOUNT_MINOR = 1_000_000_000n;

/** A break that outlived a weekend is one that nobody works on. */
const OLD_AFTER_MS = 3 * 86_400_000;

/**
 * Class × age × amount: the finding's own severity, one step up once the break is three days old, one step up for
 * ten million pesos or more. Age counts from the day on which the break was first seen.
 */
export function severityOf(subCase: SubCase, amount: Money | null, ageMs: number): Severity {
  const { severity, grows } = FINDINGS[subCase];
  const steps =
    (grows !== 'fixed' && ageMs >= OLD_AFTER_MS ? 1 : 0) +
    (grows === 'age-and-amount' && isLarge(amount) ? 1 : 0);
  const rank = Math.min(SEVERITIES.indexOf(severity) + steps, SEVERITIES.length - 1);
  return SEVERITIES[rank] ?? 'critical';
}

function isLarge(amount: Money | null): boolean {
  if (amount === null) return false;
  const parsed = parseOrderAmount(amount.value);
  return parsed.ok ? parsed.amountMinor >= LARGE_AMOUNT_MINOR : parsed.problem === 'too-large';
}
