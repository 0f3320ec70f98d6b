import { parseOrderSigners } from '../order-proofs/order-signers';
import type { OrderSigner } from '../order-proofs/order-signers';
import { fileAnd, readGuardedFile } from './files';
import { accept, refuse } from './formats';
import type { Parsed } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** Null: orders are not signed. */
export type OrderSignersConfig = { readonly file: string; readonly value: readonly OrderSigner[] } | null;

/** The keys that may give orders; read again while the program runs. */
export function readOrderSigners(path: string): Parsed<readonly OrderSigner[]> {
  const file = readGuardedFile(path);
  if (!file.ok) return file;
  const parsed = parseOrderSigners(file.value);
  return parsed.ok ? accept(parsed.value) : refuse(`the file ${path} ${parsed.reason}`);
}

export const ORDER_SIGNERS = variables('Orders', {
  ORDER_SIGNERS_FILE: {
    parse: fileAnd(readOrderSigners),
    allowed:
      'the path of a JSON Web Key Set of public Ed25519 keys, each with a kid and, if it has limits, giro: {fromAccounts, toAccounts, amountMax, notAfter}',
    meaning:
      'public keys of services that sign orders: an order without a valid proof is refused at receipt and not sent; re-read when it changes; none = proofs are stored and not checked',
  },
});

export const readOrderSignersConfig = (reader: SettingsReader): OrderSignersConfig =>
  reader.read(ORDER_SIGNERS.ORDER_SIGNERS_FILE);
