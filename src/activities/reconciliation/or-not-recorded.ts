import type { BankLook } from '../../reconciliation/books';
import { orRefused } from '../journal-refusal';

/** One transfer about which the journal refuses a line does not stop the reconciliation of the others. */
export async function orNotRecorded<T>(
  question: () => Promise<T>,
): Promise<T | Extract<BankLook, { kind: 'not-recorded' }>> {
  const asked = await orRefused(async () => ({ kind: 'asked', said: await question() }) as const);
  return asked.kind === 'refused' ? { kind: 'not-recorded', refusal: asked.refusal.reason } : asked.said;
}
