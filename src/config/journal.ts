import type { KeyRing } from '../codec/key-ring';
import { readClearBefore, readKeyRing } from './codec';
import { accept, refuse } from './formats';
import type { Parser } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** Where the journal is, without what opens it: safe to log. */
export interface JournalConfig {
  /** Empty for a Unix socket. */
  readonly host: string;
  readonly database: string;
}

export interface JournalSecrets {
  readonly databaseUrl: string;
  /** Encrypts orders; null: they are stored in clear. */
  readonly keyRing: KeyRing | null;
  /** `CODEC_CLEAR_BEFORE` */
  readonly clearBefore: Date | null;
}

const databaseUrl: Parser<JournalConfig & Pick<JournalSecrets, 'databaseUrl'>> = (text) => {
  if (!/^postgres(?:ql)?:\/\//.test(text)) return refuse('is not a postgres:// address');
  if (!URL.canParse(text)) return refuse('is not a well-formed address');
  const url = new URL(text);
  const database = decode(url.pathname.slice(1));
  if (database === null || decode(url.username) === null || decode(url.password) === null) {
    return refuse('has a % that is not followed by two hexadecimal digits');
  }
  if (database === '' || database.includes('/')) return refuse('names no database');
  if (url.hash !== '') return refuse('has a fragment (write # as %23)');
  return accept({ databaseUrl: text, host: url.hostname, database });
};

export const JOURNAL = variables('Journal', {
  DATABASE_URL: {
    parse: databaseUrl,
    allowed: 'postgres://HOST[:PORT]/DATABASE, with user and password before HOST',
    meaning: 'the journal; required by commands that use it',
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
  const { databaseUrl: url, host, database } = parsed;
  return { config: { host, database }, secrets: { databaseUrl: url, keyRing, clearBefore } };
}

/** The journal for who only puts notifications into it: no key that opens anything. */
export function readInbox(
  reader: SettingsReader,
): { readonly config: JournalConfig; readonly secrets: Pick<JournalSecrets, 'databaseUrl'> } | null {
  const parsed = reader.required(JOURNAL.DATABASE_URL);
  if (parsed === null) return null;
  const { databaseUrl: url, host, database } = parsed;
  return { config: { host, database }, secrets: { databaseUrl: url } };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
