import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readClosedFile, readSecretFile, readSettingsFile } from './files';
import { anyText } from './formats';
import type { Parsed } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** Where certificates and keys are; null: not set. */
export interface BankTlsFiles {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly passphrase: string | null;
}

export interface BankTlsMaterial {
  /** Authorities to trust instead of Node's; null: Node's. */
  readonly caPem: string | null;
  /** The client certificate and its key; null: none. */
  readonly client: ClientIdentity | null;
}

export interface ClientIdentity {
  /** Our certificate first, then its chain. */
  readonly certPem: string;
  readonly keyPem: string;
  readonly passphrase: string | null;
}

const PEM_FILE = 'the path of a PEM file with certificates';

/** `loadBankTls` checks the contents of the files together. */
export const BANK_TLS = variables('Bank', {
  BANK_CA_FILE: {
    parse: anyText,
    allowed: PEM_FILE,
    meaning: "certificate authority of the bank, in place of the system's",
  },
  BANK_CLIENT_CERT_FILE: {
    parse: anyText,
    allowed: `${PEM_FILE}; ours first, then its chain; with BANK_CLIENT_KEY_FILE`,
    meaning: 'certificate that we show the bank (mutual TLS)',
  },
  BANK_CLIENT_KEY_FILE: {
    parse: anyText,
    allowed: 'the path of a PEM file with the private key, with BANK_CLIENT_CERT_FILE',
    meaning: 'key of that certificate',
  },
  BANK_CLIENT_KEY_PASSPHRASE_FILE: {
    parse: anyText,
    allowed: 'the path of a file, with BANK_CLIENT_KEY_FILE',
    meaning: 'passphrase of that key; a trailing line feed is not part of it',
  },
});

const PARTS = {
  ca: BANK_TLS.BANK_CA_FILE,
  cert: BANK_TLS.BANK_CLIENT_CERT_FILE,
  key: BANK_TLS.BANK_CLIENT_KEY_FILE,
  passphrase: BANK_TLS.BANK_CLIENT_KEY_PASSPHRASE_FILE,
} as const;
type Part = keyof typeof PARTS;

export interface BankTls {
  readonly files: BankTlsFiles;
  /** What the files held at start; they may change. */
  readonly material: BankTlsMaterial;
}

export function readBankTls(reader: SettingsReader): BankTls {
  const files = {
    ca: reader.read(PARTS.ca),
    cert: reader.read(PARTS.cert),
    key: reader.read(PARTS.key),
    passphrase: reader.read(PARTS.passphrase),
  };
  reader.needs(PARTS.cert, PARTS.key);
  reader.needs(PARTS.key, PARTS.cert);
  reader.needs(PARTS.passphrase, PARTS.key);
  const load = loadBankTls(files, Date.now());
  for (const { part, reason } of load.problems) reader.problem(PARTS[part], reason);
  return { files, material: load.material };
}

export interface TlsProblem {
  readonly part: Part;
  /** The name of the variable with the problem. */
  readonly variable: string;
  /** Never a piece of a file. */
  readonly reason: string;
}

/**
 * Reads the files and checks that they belong together: readable, in date, the key that of the certificate. After a
 * problem, do not use the material.
 */
export function loadBankTls(
  files: BankTlsFiles,
  nowMs: number,
): { readonly material: BankTlsMaterial; readonly problems: readonly TlsProblem[] } {
  const problems: TlsProblem[] = [];
  const note = (part: Part, reason: string): null => {
    problems.push({ part, variable: PARTS[part].name, reason });
    return null;
  };
  const read = (part: Part, readFile: (path: string) => Parsed<string>): string | null => {
    const path = files[part];
    if (path === null) return null;
    const content = readFile(path);
    return content.ok ? content.value : note(part, content.reason);
  };

  const caPem = read('ca', readSettingsFile);
  const certPem = read('cert', readSettingsFile);
  const keyPem = read('key', readClosedFile);
  const passphrase = read('passphrase', readSecretFile);

  if (caPem !== null)
    checkAuthorities(caPem, nowMs, (reason) => note('ca', `the file ${files.ca} ${reason}`));
  const certificate =
    certPem === null
      ? null
      : ownCertificate(certPem, nowMs, (reason) => note('cert', `the file ${files.cert} ${reason}`));
  const isOpen = files.passphrase === null || passphrase !== null;
  const key = keyPem === null || !isOpen ? null : privateKey(keyPem, passphrase, note, files);
  if (certificate !== null && key !== null && !certificate.checkPrivateKey(key))
    note('key', `the key of the file ${files.key} is not that of the certificate in ${PARTS.cert.name}`);

  const client = certPem === null || keyPem === null ? null : { certPem, keyPem, passphrase };
  if (problems.length === 0 && client !== null) {
    // Problems that only TLS itself finds, such as a key that is too short.
    try {
      createSecureContext({ cert: certPem ?? '', key: keyPem ?? '', passphrase: passphrase ?? '' });
    } catch (error) {
      note('cert', `the file ${files.cert} cannot be used for TLS (${codeOf(error)})`);
    }
  }
  return { material: { caPem, client }, problems };
}

/**
 * OpenSSL reads a marker only at the start of a line, and so misses one where two files were joined without a line
 * feed.
 */
const GLUED = /[^\r\n]-----BEGIN CERTIFICATE-----|-----END CERTIFICATE-----[^\S\r\n]*\S/;

/** The certificates of a PEM text, in order; null when one of them cannot be read. */
export function certificatesIn(pem: string): readonly X509Certificate[] | null {
  if (GLUED.test(pem)) return null;
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return null;
  }
}

/** When the first certificate of our chain expires, in ms; null: the text has no certificate. */
export function chainEndMs(pem: string): number | null {
  const ends = (certificatesIn(pem) ?? []).map(({ validTo }) => Date.parse(validTo));
  return ends.length === 0 ? null : Math.min(...ends);
}

function checkAuthorities(pem: string, nowMs: number, note: (reason: string) => void): void {
  const all = certificatesIn(pem);
  if (all === null) note('has a certificate that cannot be read');
  else if (all.length === 0) note('has no PEM certificate');
  // An expired certificate in a bundle does no harm.
  else if (all.every(({ validTo }) => Date.parse(validTo) <= nowMs))
    note(`has no certificate that has not expired`);
}

function ownCertificate(pem: string, nowMs: number, note: (reason: string) => null): X509Certificate | null {
  const all = certificatesIn(pem);
  if (all === null) return note('has a certificate that cannot be read');
  const [own] = all;
  if (own === undefined) return note('has no PEM certificate');
  if (Date.parse(own.validTo) <= nowMs) note(`has a certificate that expired at ${iso(own.validTo)}`);
  else if (Date.parse(own.validFrom) > nowMs)
    note(`has a certificate that is not valid before ${iso(own.validFrom)}`);
  return own;
}

function privateKey(
  pem: string,
  passphrase: string | null,
  note: (part: Part, reason: string) => null,
  files: BankTlsFiles,
): KeyObject | null {
  try {
    return createPrivateKey({ key: pem, ...(passphrase === null ? {} : { passphrase }) });
  } catch (error) {
    // OpenSSL's message reveals nothing of the key, but does not help people either.
    const isLocked = /ENCRYPTED/.test(pem);
    if (isLocked && passphrase === null)
      return note(
        'key',
        `the key of the file ${files.key} needs a passphrase, and ${PARTS.passphrase.name} is not set`,
      );
    if (isLocked) return note('passphrase', `does not open the key of the file ${files.key}`);
    return note('key', `the file ${files.key} has no private key that can be read (${codeOf(error)})`);
  }
}

const iso = (date: string): string => new Date(date).toISOString();

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'no code';
