import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { defaultSettings, readConfig, type EngineSettingKey } from '../../../src/engine/model/settings.js';
import {
  readClientSettings,
  readFileConfig,
  readSettingsFile,
  settingsFilePath,
  writeSetting,
} from '../../../src/engine/access/settingsFile.js';
import { temporaryFolder } from '../../support/fixtures.js';

describe('the settings file', () => {
  const folderWith = (text: string): string => {
    const dataDir = path.join(temporaryFolder(), 'data');
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(settingsFilePath(dataDir), text);
    return dataDir;
  };
  const warningsOf = (dataDir: string): string[] => {
    const warnings: string[] = [];
    readSettingsFile(dataDir, it => warnings.push(it));
    return warnings;
  };

  it('gives the defaults where there is none', () => {
    assert.deepEqual(readFileConfig(path.join(temporaryFolder(), 'nothing')), defaultConfig);
  });

  it('keeps what is written, also in a folder that did not exist', async () => {
    const dataDir = path.join(temporaryFolder(), 'new');
    await writeSetting(dataDir, ['decayProfile'], 'gentle');
    await writeSetting(dataDir, ['notes.lifetimeDays'], 14);
    const { decay, notes } = readFileConfig(dataDir);
    assert.deepEqual([decay.profile, notes.lifetimeDays], ['gentle', 14]);
  });

  it('changes one value and keeps every other byte, comments and trailing commas too', async () => {
    const text = '// mine\n{\n  "decayProfile": "kinds", // why\n  "clients": { "a": { "access": "none" } },\n}\n';
    const dataDir = folderWith(text);
    await writeSetting(dataDir, ['decayProfile'], 'gentle');
    const read = (name: string): string => readFileSync(path.join(dataDir, name), 'utf8');
    assert.equal(read('settings.json'), text.replace('kinds', 'gentle'));
    assert.equal(read('settings.previous.json'), text);
    assert.deepEqual(readClientSettings(dataDir).clients, { a: { access: 'none' } });
    await writeSetting(dataDir, ['clients', 'b'], { access: 'read' });
    await writeSetting(dataDir, ['clients', 'a'], undefined);
    assert.deepEqual(readClientSettings(dataDir).clients, { b: { access: 'read' } });
    assert.ok(read('settings.json').startsWith('// mine\n{\n  "decayProfile": "gentle", // why\n'));
  });

  it('is not written over where it is not understood, and lets no client in', async () => {
    for (const text of ['{ "clients": ', '<<<<<<< ours\n{}\n', '[]', '{} {}']) {
      const dataDir = folderWith(text);
      await assert.rejects(writeSetting(dataDir, ['decayProfile'], 'gentle'), /is no JSON object of settings/u);
      assert.equal(readFileSync(path.join(dataDir, 'settings.json'), 'utf8'), text);
      assert.equal(readClientSettings(dataDir).clients, 'unreadable');
    }
  });

  it('counts as empty and warns where it is damaged, and names what it does not know', () => {
    const damaged = folderWith('{ "decayProfile": ');
    assert.deepEqual(readFileConfig(damaged), defaultConfig);
    assert.match(warningsOf(damaged).join(), /settings\.json is no JSON object of settings/u);
    assert.match(
      warningsOf(folderWith('{ "decayprofile": "gentle" }')).join(),
      /a setting decayprofile that Recollect does not know/u,
    );
  });

  it('lists defaults that are valid and are the defaults of the engine', () => {
    const warnings: string[] = [];
    const config = readConfig(
      (key: EngineSettingKey) => defaultSettings[key],
      it => warnings.push(it),
    );
    assert.deepEqual({ config, warnings }, { config: defaultConfig, warnings: [] });
  });
});
