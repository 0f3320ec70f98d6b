import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for the files of one test file; `remove` it afterwards. */
export function temporaryFiles() {
  const directory = mkdtempSync(join(tmpdir(), 'giro-config-'));
  return {
    directory,
    write(name: string, content: string | Uint8Array): string {
      const path = join(directory, name);
      writeFileSync(path, content);
      return path;
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
