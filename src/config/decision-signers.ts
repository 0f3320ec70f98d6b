import { readAllowedSigners } from '../decisions/allowed-signers';
import type { AllowedSigner } from '../decisions/allowed-signers';
import { fileAnd, readGuardedFile } from './files';
import { accept, refuse } from './formats';
import type { Parsed } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** The operators whose keys sign decisions; the file is read again when it changes. */
export interface DecisionSignersConfig {
  readonly file: string;
  readonly value: readonly AllowedSigner[];
}

/** OpenSSH's `allowed_signers`: one bad line refuses the file. */
export function readSignersFile(path: string): Parsed<readonly AllowedSigner[]> {
  const file = readGuardedFile(path);
  if (!file.ok) return file;
  const read = readAllowedSigners(file.value);
  return read.ok ? accept(read.signers) : refuse(`the file ${path} ${read.reason}`);
}

export const DECISION_SIGNERS = variables('Orders', {
  DECIDERS_FILE: {
    parse: fileAnd(readSignersFile),
    allowed:
      "a file in the form of OpenSSH's allowed_signers: literal names, namespaces, valid-after, valid-before; keys " +
      'ssh-ed25519, ecdsa-sha2-nistp256 and their sk- forms',
    meaning:
      'operators whose signed decisions count (docs/signatures.md), in place of DECIDERS; re-read when it changes; none = ' +
      'decisions are not signed',
  },
});

/** Null: decisions are not signed. */
export const readDecisionSigners = (reader: SettingsReader): DecisionSignersConfig | null =>
  reader.read(DECISION_SIGNERS.DECIDERS_FILE);
