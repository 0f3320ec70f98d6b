import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Env } from './env';

/**
 * The profile file that `@temporalio/envconfig` reads where TEMPORAL_CONFIG_FILE is not set, in the user's folder of
 * settings; null: no such file. The package does not export its path.
 */
export function defaultProfileFile(env: Env, platform: NodeJS.Platform = process.platform): string | null {
  const folder = settingsFolder(env, platform);
  if (folder === null) return null;
  const file = join(folder, 'temporalio', 'temporal.toml');
  return existsSync(file) ? file : null;
}

function settingsFolder(env: Env, platform: NodeJS.Platform): string | null {
  const { APPDATA = '', HOME = '', XDG_CONFIG_HOME = '' } = env;
  if (platform === 'win32') return APPDATA === '' ? null : APPDATA;
  if (platform !== 'darwin' && XDG_CONFIG_HOME !== '')
    return isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : null;
  if (HOME === '') return null;
  return platform === 'darwin' ? join(HOME, 'Library', 'Application Support') : join(HOME, '.config');
}
