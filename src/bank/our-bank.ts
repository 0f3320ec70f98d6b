import { apibank } from './apibank/apibank';
import type { BankDialect } from './dialect';

/** The dialect of the bank. To use another bank, name its dialect here: see `docs/another-bank.md`. */
export const ourBank: BankDialect = apibank;
