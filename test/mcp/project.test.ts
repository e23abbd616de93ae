import assert from 'node:assert/strict';
import { createRepository } from '../support/git.js';
import { temporaryFolder } from '../support/fixtures.js';
import { runRecollect } from '../cli/shell.js';
import { connectClient } from './mcpClient.js';

const remote = 'git@github.com:acme/harbor.git';

describe('the MCP server in a folder that looks like another project', () => {
  it('says so in its answers, and follows a person who links the folder', async () => {
    const [home, dataDir] = [temporaryFolder(), temporaryFolder()];
    const [known, other] = [createRepository(undefined, remote), createRepository(undefined, remote)];
    const run = (cwd: string, ...args: readonly string[]): Promise<unknown> =>
      runRecollect(args, { home, cwd, env: { RECOLLECT_HOME: dataDir } });
    await run(known, 'remember', '--store', 'project', 'The harbor listens on port 7001.');
    const server = await connectClient({ dataDir, cwd: other });
    const before = await server.call('recall', { query: 'harbor port' });
    assert.deepEqual(before.data.memories, []);
    assert.match(
      before.text,
      /^Nothing is remembered about this\.\nThis folder has no memories of its own and looks like/u,
    );
    assert.match(String(before.data.about), /recollect project link/u);
    await run(other, 'project', 'link');
    const after = await server.call('recall', { query: 'harbor port' });
    assert.match(after.text, /port 7001/u);
    assert.ok(!after.text.includes('looks like'));
  });
});
