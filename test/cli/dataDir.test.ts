import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findDataDir } from '../../src/cli/dataDir.js';
import { temporaryFolder } from '../support/fixtures.js';

interface Case {
  readonly option?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
  /** Folders below the home that hold a global store, the one used longest ago first. */
  readonly stores?: readonly string[];
  /** Files below the home that are in the way. */
  readonly files?: readonly string[];
}

const storage = (product: string): string => `${product}/User/globalStorage/recollect.recollect`;

/** @param expected below the home, unless it is absolute */
function check(
  name: string,
  { option, env = {}, platform = 'linux', stores = [], files = [] }: Case,
  expected: string,
  source: string,
): void {
  it(name, () => {
    const home = temporaryFolder();
    const inHome = (it: string): string => it.replace('~', home);
    for (const [age, folder] of stores.entries()) {
      const file = path.join(home, folder, 'global', 'memory.db');
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, '');
      utimesSync(file, 1_000_000 + age, 1_000_000 + age);
    }
    for (const file of files) {
      mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
      writeFileSync(path.join(home, file), '');
    }
    const found = findDataDir(
      option,
      Object.fromEntries(Object.entries(env).map(([key, it]) => [key, inHome(it)])),
      home,
      platform,
    );
    assert.deepEqual(found, { path: path.resolve(home, expected), source });
  });
}

describe('the data folder', () => {
  const code = storage('.config/Code');
  check(
    'is the option before all else',
    { option: '/a/b', env: { RECOLLECT_HOME: '/c' }, stores: [code] },
    '/a/b',
    '--data-dir',
  );
  check('is RECOLLECT_HOME', { env: { RECOLLECT_HOME: '/c' }, stores: [code] }, '/c', 'RECOLLECT_HOME');
  check(
    'is not an empty RECOLLECT_HOME',
    { option: '', env: { RECOLLECT_HOME: '' } },
    '.local/share/recollect',
    'the default data folder',
  );
  check('is where VS Code keeps it', { stores: [code] }, code, "the extension's storage");
  check(
    'is where it was used last',
    { stores: [code, storage('.config/Cursor')] },
    storage('.config/Cursor'),
    "the extension's storage",
  );
  check(
    'is where it was used last, the other way round',
    { stores: [storage('.config/VSCodium'), code] },
    code,
    "the extension's storage",
  );
  check(
    'is where a remote server keeps it',
    { stores: [code, storage('.vscode-server/data')] },
    storage('.vscode-server/data'),
    "the extension's storage",
  );
  check(
    'is where code-server keeps it',
    { stores: [storage('.local/share/code-server')] },
    storage('.local/share/code-server'),
    "the extension's storage",
  );
  check(
    'follows XDG_CONFIG_HOME',
    { env: { XDG_CONFIG_HOME: '~/conf' }, stores: [storage('conf/Code')] },
    storage('conf/Code'),
    "the extension's storage",
  );
  check('follows XDG_DATA_HOME', { env: { XDG_DATA_HOME: '/data' } }, '/data/recollect', 'the default data folder');
  check(
    'is the default of macOS',
    { platform: 'darwin' },
    'Library/Application Support/recollect',
    'the default data folder',
  );
  check(
    'is VS Code on macOS',
    { platform: 'darwin', stores: [storage('Library/Application Support/Code')] },
    storage('Library/Application Support/Code'),
    "the extension's storage",
  );
  check(
    'is the default of Windows',
    { platform: 'win32', env: { APPDATA: '~/Roaming' } },
    'Roaming/recollect',
    'the default data folder',
  );
  check(
    'is VS Code on Windows',
    { platform: 'win32', stores: [storage('AppData/Roaming/Code')] },
    storage('AppData/Roaming/Code'),
    "the extension's storage",
  );
  check(
    'passes over a file where a folder should be',
    { files: ['.config/Code'], stores: [storage('.config/Cursor')] },
    storage('.config/Cursor'),
    "the extension's storage",
  );
  check(
    'passes over a storage that holds no store',
    { files: [`${code}/other`] },
    '.local/share/recollect',
    'the default data folder',
  );
});
