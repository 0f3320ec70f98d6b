import { apibank } from './apibank/apibank';
import type { BankDialect } from './dialect';

/** The bank that Giro speaks to. Another one takes its place here: see `docs/another-bank.md`. */
export const ourBank: BankDialect = apibank;
