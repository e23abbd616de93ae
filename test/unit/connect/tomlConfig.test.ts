import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import {
  addServer,
  readServerEntry,
  removeServer,
  restoreOriginal,
  type McpConfigFile,
} from '../../../src/connect/mcpConfig.js';

const file: McpConfigFile = { path: 'config.toml', section: 'mcp_servers', allowsComments: true, format: 'toml' };
const entry = { command: 'node', args: ['C:\\store\\recollect.cjs', 'mcp'] };
const table = '[mcp_servers.recollect]\ncommand = "node"\nargs = ["C:\\\\store\\\\recollect.cjs","mcp"]\n';

describe('the MCP server table in a TOML file', () => {
  for (const [title, text, expected] of [
    ['a missing file', undefined, table],
    ['a file with other tables', 'model = "x" # kept\n\n[mcp_servers.other]\ncommand = "y"\n', undefined],
    ['a file without a last line ending', '[mcp_servers.other]\ncommand = "y"', undefined],
    ['a file with CRLF', 'model = "x"\r\n', undefined],
  ] as const) {
    it(`is added to ${title}, read, and taken back to the byte`, () => {
      const added = addServer(text, file, entry);
      assert.ok(
        added.startsWith(text ?? '') && added.replaceAll('\r\n', '\n').endsWith(expected ?? `\n${table}`),
        added,
      );
      assert.deepEqual(readServerEntry(added, file), entry);
      assert.equal(addServer(added, file, entry).split('[mcp_servers.recollect]').length, 2);
      assert.equal(
        restoreOriginal(added, file, it => it === (text ?? '')),
        text ?? '',
      );
    });
  }

  it('is removed with its sub-tables from between others', () => {
    const text = `[a]\nb = 1\n${table}[mcp_servers.recollect.env]\nX = "1"\n[mcp_servers.recollected]\ncommand = "z"\n`;
    assert.equal(removeServer(text, file), '[a]\nb = 1\n[mcp_servers.recollected]\ncommand = "z"\n');
    assert.equal(readServerEntry('[mcp_servers.recollected]\ncommand = "z"\n', file), undefined);
  });

  it('is not added where all servers are one inline table, or texts of several lines are', () => {
    for (const text of [
      'mcp_servers = { other = { command = "y" } }\n',
      'note = """\n[mcp_servers.recollect]\n"""\n',
    ]) {
      assert.throws(
        () => addServer(text, file, entry),
        it => EngineError.is(it, 'invalidInput') && it.message.includes('by hand; nothing was changed'),
      );
    }
  });
});
