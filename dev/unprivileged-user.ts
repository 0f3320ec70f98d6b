import { execFileSync } from 'node:child_process';

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', 'nobody'];

/**
 * The account that runs PostgreSQL when this process is root, because PostgreSQL refuses to run as root. The account
 * must exist already, because a new one would change the machine. Null: this process is not root.
 */
export function unprivilegedUser(): UserIds | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of CANDIDATES) {
    const ids = idsOf(name);
    if (ids !== null) return ids;
  }
  throw new Error(`root cannot run PostgreSQL, and this machine has no user ${CANDIDATES.join(' or ')}`);
}

function idsOf(name: string): UserIds | null {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    );
    return uid === undefined || gid === undefined ? null : { uid, gid };
  } catch {
    return null;
  }
}
