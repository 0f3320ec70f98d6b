import { Book } from '../book/book';
import { RuleSet } from '../rules/rule-set';
import type { OutageMode } from './outage';

/** What can change while the bank serves. */
export interface BankState {
  readonly book: Book;
  /** For originIds that are new from now on. */
  rules: RuleSet;
  outage: OutageMode;
}

export const initialState = (rules: unknown): BankState => ({
  book: new Book(),
  rules: RuleSet.read(rules),
  outage: 'none',
});
