import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Folder under a VS Code's user data where the extension's stores lie: `publisher.name`. */
const extensionStorage = path.join('User', 'globalStorage', 'recollect.recollect');

/** Builds of VS Code, as their user data folder is called. */
const products = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
/** Servers (remote, code-server), whose user data lies in the home folder. */
const servers = ['.vscode-server/data', '.vscode-server-insiders/data', '.local/share/code-server'];

export interface DataDir {
  readonly path: string;
  /** Why this one, for the person. */
  readonly because: string;
}

/**
 * Where the data lives: the option, else `RECOLLECT_HOME`, else the extension's storage of an installed VS Code (the one
 * used last, where there are several), else the platform's data folder. One memory, never two by accident.
 */
export function findDataDir(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = os.homedir(),
  platform: NodeJS.Platform = process.platform,
): DataDir {
  if (option !== undefined && option !== '') return { path: path.resolve(option), because: '--data-dir' };
  const own = env.RECOLLECT_HOME;
  if (own !== undefined && own !== '') return { path: path.resolve(own), because: 'RECOLLECT_HOME' };
  const userData = platformFolder(env, home, platform, 'settings');
  const installed = [...products.map(it => path.join(userData, it)), ...servers.map(it => path.join(home, it))]
    .map(it => path.join(it, extensionStorage))
    .flatMap(it => {
      const usedAt = lastUse(it);
      return usedAt === undefined ? [] : [{ path: it, usedAt }];
    })
    .sort((a, b) => b.usedAt - a.usedAt);
  if (installed[0] !== undefined) return { path: installed[0].path, because: "the extension's storage" };
  return {
    path: path.join(platformFolder(env, home, platform, 'data'), 'recollect'),
    because: 'the default data folder',
  };
}

function platformFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: NodeJS.Platform,
  what: 'settings' | 'data',
): string {
  if (platform === 'win32') return env.APPDATA ?? path.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  return what === 'settings'
    ? (env.XDG_CONFIG_HOME ?? path.join(home, '.config'))
    : (env.XDG_DATA_HOME ?? path.join(home, '.local', 'share'));
}

/** When the global store there was written last; undefined when there is none that we may see. */
function lastUse(folder: string): number | undefined {
  try {
    return statSync(path.join(folder, 'global', 'memory.db')).mtimeMs;
  } catch {
    return undefined;
  }
}
