import { createHash } from 'node:crypto';
import { readSshPublicKey } from './public-key';
import type { SshPublicKey } from './public-key';
import { SshFormError, SshReader, sshString, strictBase64 } from './wire';

/**
 * Signatures of `ssh-keygen -Y sign` (OpenSSH's PROTOCOL.sshsig). Read and verified here over Node's own crypto: the
 * npm packages for this format do not support hardware keys.
 */
export interface SshSignature {
  readonly key: SshPublicKey;
  /** Purpose of the signature: a signature for another purpose does not count. */
  readonly namespace: string;
  readonly verifies: (message: Buffer) => boolean;
}

/** Maximum length of an armoured signature; that of a hardware key has fewer than 800 characters. */
const SSH_SIGNATURE_MAX_LENGTH = 4_096;

const MAGIC = 'SSHSIG';
const VERSION = 1;
const HASHES: readonly string[] = ['sha256', 'sha512'];
const ARMOUR = /^-----BEGIN SSH SIGNATURE-----([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*$/;

/**
 * Reads an armoured signature. White space does not matter: forms that people paste into may change it.
 *
 * @throws SshFormError the text does not have this form, or the key is of another kind
 */
export function readSshSignature(armoured: string): SshSignature {
  if (armoured.length > SSH_SIGNATURE_MAX_LENGTH)
    throw new SshFormError(`is longer than ${SSH_SIGNATURE_MAX_LENGTH} characters`);
  const body = ARMOUR.exec(armoured.trimStart())?.[1]?.replace(/\s/g, '');
  const blob = body === undefined ? null : strictBase64(body);
  if (blob === null) throw new SshFormError('is not an armoured SSH signature');
  const reader = new SshReader(blob);
  if (reader.fixed(MAGIC.length).toString('latin1') !== MAGIC)
    throw new SshFormError('is not an armoured SSH signature');
  if (reader.uint32() !== VERSION) throw new SshFormError('is of another version of SSHSIG');
  const key = readSshPublicKey(reader.string());
  const namespace = reader.text();
  const reserved = reader.string();
  const hash = reader.text();
  const signature = reader.string();
  reader.end();
  if (!HASHES.includes(hash)) throw new SshFormError('is over a hash that is none of sha256, sha512');
  return {
    ...{ key, namespace },
    verifies: (message) => {
      const digest = createHash(hash).update(message).digest();
      const fields = [namespace, reserved, hash, digest].map(sshString);
      try {
        return key.verifies(Buffer.concat([Buffer.from(MAGIC, 'latin1'), ...fields]), signature);
      } catch (error) {
        if (error instanceof SshFormError) return false;
        throw error;
      }
    },
  };
}
