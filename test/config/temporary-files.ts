import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the files of one test file; call `remove` afterwards. */
export function temporaryFiles() {
  const directory = mkdtempSync(join(tmpdir(), 'giro-config-'));
  return {
    directory,
    /** Default: the mode that secrets must have. */
    write(name: string, content: string | Uint8Array, mode = 0o600): string {
      const path = join(directory, name);
      writeFileSync(path, content);
      // An existing file would keep its mode, and the umask would change that of a new one.
      chmodSync(path, mode);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
