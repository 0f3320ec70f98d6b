import type { KeyRing } from '../codec/key-ring';
import { readClearBefore, readKeyRing } from './codec';
import { isLoopbackHost } from './address';
import { readAuthoritiesFile, readClosedFile, readSettingsFile } from './files';
import { accept, refuse, wholeNumber } from './formats';
import type { Parsed, Parser } from './formats';
import { admitTransport, tlsIsVerified } from './plaintext';
import type { Transport } from './plaintext';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** The journal's address without credentials: safe to log. */
export interface JournalConfig {
  /** Empty for a Unix socket. */
  readonly host: string;
  readonly database: string;
  readonly transport: Transport;
}

export interface JournalSecrets {
  readonly databaseUrl: string;
  /** Encrypts orders; null: they are stored in clear. */
  readonly keyRing: KeyRing | null;
  /** `CODEC_CLEAR_BEFORE` */
  readonly clearBefore: Date | null;
}

/** node-postgres reads the files when it connects, checks no mode, and takes any text as a port. */
const PARAMETERS: readonly (readonly [name: string, check: Parser<unknown>])[] = [
  ['sslkey', readClosedFile],
  ['sslcert', readSettingsFile],
  ['sslrootcert', readAuthoritiesFile],
  ['port', wholeNumber(1, 65_535).parse],
];

const databaseUrl = (
  text: string,
  reader: SettingsReader,
): Parsed<JournalConfig & Pick<JournalSecrets, 'databaseUrl'>> => {
  if (!/^postgres(?:ql)?:\/\//.test(text)) return refuse('is not a postgres:// address');
  if (!URL.canParse(text)) return refuse('is not a well-formed address');
  const url = new URL(text);
  const database = decode(url.pathname.slice(1));
  if (database === null || decode(url.username) === null || decode(url.password) === null) {
    return refuse('has a % that is not followed by two hexadecimal digits');
  }
  if (database === '' || database.includes('/')) return refuse('names no database');
  if (url.hash !== '') return refuse('has a fragment (write # as %23)');
  const transport = admitTransport(reader, {
    ...{ server: 'postgres', transport: databaseTransport(url, reader) },
    remedy: 'add sslmode=verify-full (and sslrootcert=FILE for your own authority)',
  });
  if (!transport.ok) return transport;
  for (const [name, check] of PARAMETERS) {
    const text = url.searchParams.getAll(name).at(-1) ?? '';
    const checked = text === '' ? null : check(text);
    if (checked?.ok === false) return refuse(`has as ${name} what is refused: ${checked.reason}`);
  }
  return accept({ databaseUrl: text, host: url.hostname, database, transport: transport.value });
};

/** How node-postgres reads the address: the last parameter of a name counts, and an empty `host` does not. */
export function databaseTransport(url: URL, reader: Pick<SettingsReader, 'env'>): Transport {
  const given = Object.fromEntries(url.searchParams) as Partial<Record<string, string>>;
  const { host: named = '' } = given;
  const host = named === '' ? (decode(url.hostname) ?? '') : named;
  if (host === '' || host.startsWith('/') || isLoopbackHost(host)) return 'loopback';
  return tlsIsVerified(reader) && asksForVerifiedTls(given) ? 'verified-tls' : 'plaintext';
}

/**
 * Whether both the server's certificate and its name are checked. Without `uselibpqcompat`, node-postgres checks both
 * in every encrypting mode except `no-verify`. With it, only `verify-full` checks both, as in libpq.
 */
function asksForVerifiedTls(given: Partial<Record<string, string>>): boolean {
  const { sslmode = '', ssl, sslcert, sslkey, sslrootcert, sslnegotiation } = given;
  if (given['uselibpqcompat'] === 'true' && sslmode !== '') return sslmode === 'verify-full';
  if (sslmode !== '') return sslmode !== 'disable' && sslmode !== 'no-verify';
  const hasFiles = [sslcert, sslkey, sslrootcert].some((file) => file !== undefined && file !== '');
  return hasFiles || ssl === 'true' || ssl === '1' || (ssl === undefined && sslnegotiation === 'direct');
}

export const JOURNAL = variables('Journal', {
  DATABASE_URL: {
    parse: databaseUrl,
    allowed:
      'postgres://HOST[:PORT]/DATABASE, with user and password before HOST; if HOST is not on loopback, with ?sslmode=verify-full',
    meaning:
      'database of the journal; required by programs that use it. In production give each process its own login (docs/security.md)',
    shown: 'never',
  },
});

export function readJournal(
  reader: SettingsReader,
): { readonly config: JournalConfig; readonly secrets: JournalSecrets } | null {
  const keyRing = readKeyRing(reader);
  const clearBefore = readClearBefore(reader);
  const parsed = reader.required(JOURNAL.DATABASE_URL);
  if (parsed === null) return null;
  const { databaseUrl: url, ...config } = parsed;
  return { config, secrets: { databaseUrl: url, keyRing, clearBefore } };
}

/** The journal of a process that only stores notifications: no key that opens anything. */
export function readInbox(
  reader: SettingsReader,
): { readonly config: JournalConfig; readonly secrets: Pick<JournalSecrets, 'databaseUrl'> } | null {
  const parsed = reader.required(JOURNAL.DATABASE_URL);
  if (parsed === null) return null;
  const { databaseUrl: url, ...config } = parsed;
  return { config, secrets: { databaseUrl: url } };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
