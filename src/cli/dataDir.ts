import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Folder under a VS Code's user data where the extension's stores lie: `publisher.name`. */
const extensionStoragePath = path.join('User', 'globalStorage', 'recollect.recollect');

/** Builds of VS Code, as their user data folder is called. */
const vscodeUserDataNames = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
/** Servers (remote, code-server), whose user data lies in the home folder. */
const serverUserDataPaths = ['.vscode-server/data', '.vscode-server-insiders/data', '.local/share/code-server'];

export interface DataDir {
  readonly path: string;
  /** Why this one, for the person. */
  readonly source: string;
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
  if (option !== undefined && option !== '')
    return { path: path.resolve(expandHome(option, home)), source: '--data-dir' };
  const homeOverride = env.RECOLLECT_HOME;
  if (homeOverride !== undefined && homeOverride !== '')
    return { path: path.resolve(expandHome(homeOverride, home)), source: 'RECOLLECT_HOME' };
  const extensionFolder = mostRecentlyUsed(
    userDataFolders(env, home, platform).map(it => path.join(it, extensionStoragePath)),
    it => path.join(it, 'global', 'memory.db'),
  );
  if (extensionFolder !== undefined) return { path: extensionFolder, source: "the extension's storage" };
  return {
    path: path.join(platformFolder(env, home, platform, 'data'), 'recollect'),
    source: 'the default data folder',
  };
}

/** A path from a configuration that no shell has read: `~`, `$HOME` or `%USERPROFILE%` at its start is the home folder. */
function expandHome(folder: string, home: string): string {
  const [start] = /^(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)(?=$|[\\/])/u.exec(folder) ?? [];
  return start === undefined ? folder : path.join(home, folder.slice(start.length));
}

/** Where the VS Code that was used last keeps what belongs to each workspace, its chats among it; undefined without one. */
export function findChatSessions(
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = os.homedir(),
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  return mostRecentlyUsed(
    userDataFolders(env, home, platform).map(it => path.join(it, 'User', 'workspaceStorage')),
    it => it,
  );
}

function userDataFolders(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: NodeJS.Platform,
): string[] {
  const userData = platformFolder(env, home, platform, 'settings');
  return [
    ...vscodeUserDataNames.map(it => path.join(userData, it)),
    ...serverUserDataPaths.map(it => path.join(home, it)),
  ];
}

/** The platform's folder for the settings or the data of programs. */
export function platformFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: NodeJS.Platform,
  purpose: 'settings' | 'data',
): string {
  if (platform === 'win32') return env.APPDATA ?? path.join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  return purpose === 'settings'
    ? (env.XDG_CONFIG_HOME ?? path.join(home, '.config'))
    : (env.XDG_DATA_HOME ?? path.join(home, '.local', 'share'));
}

/** The folder whose witness was written last; undefined when there is none that we may see. */
function mostRecentlyUsed(folders: readonly string[], markerOf: (folder: string) => string): string | undefined {
  const existing = folders.flatMap(it => {
    try {
      return [{ path: it, usedAt: statSync(markerOf(it)).mtimeMs }];
    } catch {
      return [];
    }
  });
  return existing.sort((a, b) => b.usedAt - a.usedAt)[0]?.path;
}
