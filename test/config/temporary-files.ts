import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for the files of one test file; `remove` it afterwards. */
export function temporaryFiles() {
  const directory = mkdtempSync(join(tmpdir(), 'giro-config-'));
  return {
    directory,
    /** By default as secrets have to be. */
    write(name: string, content: string | Uint8Array, mode = 0o600): string {
      const path = join(directory, name);
      writeFileSync(path, content);
      // An old file keeps its mode, and the umask has its say about a new one.
      chmodSync(path, mode);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
