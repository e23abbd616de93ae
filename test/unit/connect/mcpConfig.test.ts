import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import { launcherPath, refreshLauncher, writeLauncher } from '../../../src/connect/launcher.js';
import { ConnectionRecords } from '../../../src/connect/connectionRecords.js';
import { readServerEntry, removeServer, addServer, type McpConfigFile } from '../../../src/connect/mcpConfig.js';
import { temporaryFolder } from '../../support/fixtures.js';

const claude: McpConfigFile = { path: '.mcp.json', section: 'mcpServers', allowsComments: false };
const code: McpConfigFile = { path: '.vscode/mcp.json', section: 'servers', allowsComments: true };
const entry = { type: 'stdio', command: 'node', args: ['/store/bin/recollect.cjs', 'mcp'] } as const;
const entryText = (indent: string, eol = '\n', unit = '  '): string =>
  JSON.stringify(entry, undefined, unit).replaceAll('\n', `${eol}${indent}`);

describe('the MCP server entry', () => {
  it('creates the text of a missing or empty file', () => {
    const text = '{\n  "mcpServers": {\n    "recollect": ' + entryText('    ') + '\n  }\n}\n';
    assert.equal(addServer(undefined, claude, entry), text);
    assert.equal(addServer('', claude, entry), text);
    assert.deepEqual(readServerEntry(text, claude), entry);
  });

  it('leaves the bytes of an entry that is there in another layout', () => {
    const text = `{"mcpServers":{"recollect":${JSON.stringify(entry)}}}`;
    assert.equal(addServer(text, claude, entry), text);
  });

  const named = (indent: string, eol?: string, unit?: string): string =>
    `${indent}"recollect": ${entryText(indent, eol, unit)}`;
  /** Text before and after: the same bytes, with the entry and its comma added. */
  const texts: Readonly<Record<string, readonly [string, string]>> = {
    'other servers': [
      '{\n  "mcpServers": {\n    "other": { "command":"x",   "args":[ 1,2 ] }\n  },\n  "more": [1,  2]\n}\n',
      `{\n  "mcpServers": {\n    "other": { "command":"x",   "args":[ 1,2 ] },\n${named('    ')}\n  },\n  "more": [1,  2]\n}\n`,
    ],
    'no section': [
      '{ "more":   "kept",\n\n\n  "odd": 1e3 }',
      `{ "more":   "kept",\n\n\n  "odd": 1e3,\n  "mcpServers": {\n${named('    ')}\n  } }`,
    ],
    'tabs and CRLF': [
      '{\r\n\t"mcpServers": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n',
      `{\r\n\t"mcpServers": {\r\n\t\t"other": {},\r\n${named('\t\t', '\r\n', '\t')}\r\n\t}\r\n}\r\n`,
    ],
    'a byte order mark': [
      '\uFEFF{\n    "mcpServers": {\n        "z": {"a":1}\n    }\n}',
      `\uFEFF{\n    "mcpServers": {\n        "z": {"a":1},\n${named('        ', '\n', '    ')}\n    }\n}`,
    ],
    'an empty section': ['{"mcpServers":{}}', `{"mcpServers":{\n${named('  ')}\n}}`],
    'an empty object': ['{}', `{\n  "mcpServers": {\n${named('    ')}\n  }\n}`],
  };
  for (const [name, [before, after]] of Object.entries(texts)) {
    it(`is added to a file with ${name} without changing another byte`, () => {
      assert.equal(addServer(before, claude, entry), after);
      assert.equal(addServer(after, claude, entry), after);
      const other = { ...entry, args: ['/old.cjs', 'mcp'] };
      assert.equal(addServer(addServer(before, claude, other), claude, entry), after);
      assert.deepEqual(plain(removeServer(after, claude)), { mcpServers: {}, ...plain(before) });
    });

    it(`is removed from a file with ${name}, restoring every byte`, async () => {
      const storage = temporaryFolder();
      const past = new ConnectionRecords(storage);
      const file = '/work/.mcp.json';
      assert.deepEqual(plain((await past.originalText(file, after, claude))!), { mcpServers: {}, ...plain(before) });
      await past.add(file, before, after);
      assert.doesNotMatch(readFileSync(path.join(storage, 'bin', 'connections.json'), 'utf8'), /other|more|servers/iu);
      assert.equal(await past.originalText(file, after, claude), before);
      // Edited since: only the entry is removed.
      const changed = after.replace('"recollect"', '"mine": {}, "recollect"');
      assert.deepEqual(Object.keys(sectionOf((await past.originalText(file, changed, claude))!)), [
        ...Object.keys(sectionOf(before)),
        'mine',
      ]);
      await past.add(file, undefined, after);
      assert.equal(await past.originalText(file, after, claude), undefined);
      await past.remove(file);
      assert.notEqual(await past.originalText(file, after, claude), undefined);
    });
  }

  it('is removed without changing other servers', () => {
    const [text, connected] = texts['other servers']!;
    assert.equal(removeServer(connected, claude), text);
    assert.equal(removeServer(text, claude), text);
  });

  it('keeps comments where they are allowed', () => {
    const text = '{\n  // mine\n  "servers": {\n    "a": {}, // first\n  },\n}\n';
    const after = addServer(text, code, entry);
    assert.match(after, /\{\n {2}\/\/ mine\n {2}"servers": \{\n {4}"a": \{\}, \/\/ first\n {4}"recollect": \{/u);
    assert.equal(removeServer(after, code), text);
    assert.deepEqual(readServerEntry(after, code), entry);
  });

  it('rejects invalid files with the path and the line', () => {
    const broken: readonly (readonly [string, RegExp])[] = [
      ['{\n  "mcpServers": {\n', /^\.mcp\.json is not valid JSON \(line \d\)\. Correct it/u],
      ['{\n  // mine\n}', /not valid JSON \(line 2\)/u],
      ['{} {}', /not valid JSON/u],
      ['[]', /^\.mcp\.json is no JSON object/u],
      ['{"mcpServers": []}', /^"mcpServers" in \.mcp\.json is no JSON object/u],
    ];
    for (const [text, message] of broken) {
      assert.throws(
        () => addServer(text, claude, entry),
        it => EngineError.is(it, 'invalidInput') && message.test(it.message),
      );
    }
  });
});

describe('the launcher', () => {
  it('starts the command line on the stores of its own storage folder', async () => {
    const storage = temporaryFolder();
    const cli = path.join(temporaryFolder(), 'it\'s "cli".js');
    writeFileSync(cli, 'console.log(process.env.RECOLLECT_HOME, process.argv[2])');
    const file = await writeLauncher(storage, cli);
    const output = execFileSync(process.execPath, [file, 'mcp'], { env: {} }).toString();
    assert.equal(output.trim(), `${storage} mcp`);
    assert.deepEqual(readdirSync(path.dirname(file)), ['recollect.cjs']);
  });

  it('is updated with the extension, but not created by the update', async () => {
    const storage = temporaryFolder();
    await refreshLauncher(storage, '/new/cli.js');
    assert.ok(!existsSync(path.join(storage, 'bin')));
    mkdirSync(path.join(storage, 'bin'));
    await writeLauncher(storage, '/old/cli.js');
    await refreshLauncher(storage, '/new/cli.js');
    assert.match(readFileSync(launcherPath(storage), 'utf8'), /^require\("\/new\/cli\.js"\);$/mu);
  });
});

function plain(text: string): object {
  return JSON.parse(text.replace('\uFEFF', '')) as object;
}

function sectionOf(text: string): object {
  return (plain(text) as { mcpServers?: object }).mcpServers ?? {};
}
