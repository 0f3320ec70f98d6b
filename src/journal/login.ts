import { openDatabase } from './database';
import { JOURNAL_ROLES } from './identity';
import type { JournalIdentity, JournalRole } from './identity';

/** The login of `DATABASE_URL` and its powers in PostgreSQL. */
export interface JournalLogin {
  readonly isSuperuser: boolean;
  /** Owner of the schema `giro`. */
  readonly isOwner: boolean;
  /** Roles that the login may work as; for a superuser all. */
  readonly roles: readonly JournalRole[];
}

const text = `
select l.rolsuper as is_superuser,
  exists (select from pg_namespace n where n.nspname = 'giro' and pg_has_role(n.nspowner, 'member')) as is_owner,
  array(
    select r.rolname::text from pg_roles r where r.rolname = any($1::text[]) and pg_has_role(r.oid, 'member')
  ) as roles
from pg_roles l where l.rolname = session_user`;

interface Row {
  readonly is_superuser: boolean;
  readonly is_owner: boolean;
  readonly roles: readonly string[];
}

/** Throws like every statement of the journal. */
export async function readLogin(url: string): Promise<JournalLogin> {
  const database = openDatabase(url, { poolMax: 1, identity: 'login' });
  try {
    const [row] = await database.run<Row>({ name: 'login', text }, [JOURNAL_ROLES]);
    if (row === undefined) throw new Error('a session has a login');
    return {
      isSuperuser: row.is_superuser,
      isOwner: row.is_owner,
      roles: JOURNAL_ROLES.filter((role) => row.roles.includes(role)),
    };
  } finally {
    await database.close();
  }
}

/** The login's role; of several roles the first, which is the worker's if the login has that role. Null: no role. */
export const roleOf = ({ roles }: JournalLogin): JournalRole | null => roles[0] ?? null;

/** The powers of the login beyond `role`. Its process needs only that role. Null: none. */
export function excessOf(
  { isSuperuser, isOwner, roles }: JournalLogin,
  role: JournalIdentity,
): string | null {
  if (isSuperuser) return 'is a superuser';
  if (isOwner) return 'owns the journal';
  const others = roles.filter((one) => one !== role);
  return others.length === 0 ? null : `may also work as ${others.join(', ')}`;
}
