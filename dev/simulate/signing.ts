import { generateKeyPairSync } from 'node:crypto';
import type { SignOrder } from '../../src/order-proofs/signing-key';
import { readSigningKey } from '../../src/order-proofs/signing-key';
import { makeKey } from '../made-ssh-keys';

/** The keys of a simulation in which orders and decisions are signed. */
export interface SimulationSigning {
  readonly signOrder: SignOrder;
  /** The armoured signature of a decision's line by this operator. */
  readonly signDecision: (operator: string, line: string) => string;
  /** What a worker needs to verify signatures: files for its folder, and the settings that name them. */
  readonly files: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

const KEY_ID = 'simulation';
const ORDER_SIGNERS_FILE = 'order-signers.json';
const DECIDERS_FILE = 'deciders';

export function newSigning(operators: readonly string[]): SimulationSigning {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signing = readSigningKey(JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: KEY_ID }));
  if (!signing.ok) throw new Error(`the key ${signing.reason}`);
  const keys = operators.map((operator) => ({ operator, key: makeKey() }));
  return {
    signOrder: signing.value,
    signDecision: (operator, line) => {
      const own = keys.find((it) => it.operator === operator);
      if (own === undefined) throw new Error(`${operator} has no key`);
      return own.key.sign(line);
    },
    files: {
      [ORDER_SIGNERS_FILE]: JSON.stringify({
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID }],
      }),
      [DECIDERS_FILE]: keys.map(({ operator, key }) => `${operator} ${key.type} ${key.base64}\n`).join(''),
    },
    settings: { ORDER_SIGNERS_FILE, DECIDERS_FILE },
  };
}
