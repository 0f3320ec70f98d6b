import type { BankDialect } from '../dialect';
import { movements } from './movements/wire';
import { verifications } from './verifications/wire';
import { webhooks } from './webhooks/wire';

/** The bank of the reference, whose money services are below `/v2/apibank`. */
export const apibank: BankDialect = { movements, verifications, webhooks };
