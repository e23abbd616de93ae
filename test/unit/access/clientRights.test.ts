import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientKey, readClientRights, requireRight } from '../../../src/engine/access/clientRights.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import { settingsFilePath, writeClientSetting } from '../../../src/engine/access/settingsFile.js';
import { temporaryFolder } from '../../support/fixtures.js';

const read = { tool: 'recall', readOnly: true };
const write = { tool: 'remember', readOnly: false };

describe('the rights of clients', () => {
  function folderWith(settings: string): string {
    const folder = path.join(temporaryFolder(), 'data');
    mkdirSync(folder);
    writeFileSync(settingsFilePath(folder), settings);
    return folder;
  }

  function isLetIn(folder: string, client: string, call: typeof read): boolean {
    try {
      requireRight(readClientRights(folder, client), client, call);
      return true;
    } catch (error) {
      assert.ok(EngineError.is(error, 'notAllowed'), String(error));
      return false;
    }
  }

  const answers = (folder: string, client: string): readonly boolean[] => [
    isLetIn(folder, client, read),
    isLetIn(folder, client, write),
  ];

  it('are all of them for a client that no person has limited', () => {
    assert.deepEqual(answers(path.join(temporaryFolder(), 'none'), 'mcp:zed'), [true, true]);
    assert.deepEqual(answers(folderWith('{"recall.limit": 4}'), 'mcp:zed'), [true, true]);
  });

  it('apply to a client that names itself like the command line, which has a name of its own', () => {
    assert.deepEqual([clientKey('cli'), clientKey('mcp:cli'), clientKey('mcp: CLI ')], ['cli', 'mcp-cli', 'mcp-cli']);
    const folder = folderWith(JSON.stringify({ clients: { 'mcp-cli': { access: 'none' } } }));
    assert.deepEqual(answers(folder, 'mcp:cli'), [false, false]);
  });

  it('are those of the entry of the client, else those of the star', () => {
    const folder = folderWith(
      JSON.stringify({
        clients: { 'Zed Editor': { access: 'read' }, goose: { tools: ['remember'] }, '*': { access: 'none' } },
      }),
    );
    assert.deepEqual(answers(folder, 'mcp:zed editor'), [true, false]);
    assert.deepEqual(answers(folder, 'mcp:goose'), [false, true]);
    assert.deepEqual(answers(folder, 'mcp:another'), [false, false]);
  });

  for (const [what, settings] of [
    ['a file that is no JSON', '{"clients": {'],
    ['a list instead of the clients', '{"clients": []}'],
    ['an entry with an unknown access', '{"clients": {"zed": {"access": "some"}}}'],
    ['an entry with an unknown field', '{"clients": {"zed": {"acces": "none"}}}'],
    ['an entry with an unknown store', '{"clients": {"zed": {"store": "mine"}}}'],
  ] as const) {
    it(`allow nothing where they cannot be understood: ${what}`, () => {
      assert.deepEqual(answers(folderWith(settings), 'mcp:zed'), [false, false]);
    });
  }

  it('know a client by one name, and hooks as Claude Code', () => {
    assert.deepEqual(['mcp:Claude Code', 'claude-code', 'hook', 'mcp:Visual Studio Code', 'vscode'].map(clientKey), [
      'claude-code',
      'claude-code',
      'claude-code',
      'visual-studio-code',
      'vscode',
    ]);
  });

  it('are refused with a command line in which nothing of the name that a client gives itself runs', function () {
    if (process.platform === 'win32') this.skip(); // The line is for PowerShell there.
    const folder = folderWith('{"clients": {"*": {"access": "none"}}}');
    const refusal = (client: string): string => {
      try {
        requireRight(readClientRights(folder, client), client, read);
        return '';
      } catch (error) {
        return (error as EngineError).message;
      }
    };
    assert.match(refusal("mcp:it's;$(touch${IFS}x)"), /: recollect clients allow 'it'\\''s;\$\(touch\$\{ifs\}x\)'$/u);
    assert.match(refusal('mcp:zed'), /: recollect clients allow zed$/u);
  });

  it('are written without touching the other settings', async () => {
    const folder = folderWith('{"recall.limit": 4}');
    await writeClientSetting(folder, 'zed', { access: 'none' });
    assert.deepEqual(answers(folder, 'mcp:zed'), [false, false]);
    await writeClientSetting(folder, 'zed', undefined);
    assert.deepEqual(answers(folder, 'mcp:zed'), [true, true]);
    const broken = folderWith('{');
    await assert.rejects(writeClientSetting(broken, 'zed', { access: 'none' }), { code: 'unsupportedFile' });
  });
});
