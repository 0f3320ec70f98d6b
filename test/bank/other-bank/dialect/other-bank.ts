import type { BankDialect } from '../../../../src/bank/dialect';
import { movements } from './movements/wire';
import { verifications } from './verifications/wire';
import { webhooks } from './webhooks/wire';

/** A made-up bank: other paths, methods, field names, statuses and dates; ids as numbers; amounts in centavos. */
export const otherBank: BankDialect = { movements, verifications, webhooks };
