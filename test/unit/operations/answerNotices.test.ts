import assert from 'node:assert/strict';
import path from 'node:path';
import { writeStorePlacement } from '../../../src/engine/store/storePlacement.js';
import { readdirSync } from 'node:fs';
import { conflictsTool } from '../../../src/operations/conflicts.js';
import { contextTool } from '../../../src/operations/context.js';
import { listTool } from '../../../src/operations/list.js';
import { recallTool } from '../../../src/operations/recall.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

describe('an answer to a model while the server of a moved store cannot be used', function () {
  it('says what was not searched, and never that nothing is remembered', async () => {
    const host = new TestHost({ project: true });
    const before = await host.open();
    await storeMemory(before, 'The VPN gateway is in Zurich.', { lane: 'confirmed', store: 'project' });
    await before.close();
    const projects = path.join(host.dataDir, 'projects');
    const [key] = readdirSync(projects);
    await writeStorePlacement(path.join(projects, key!), { schema: 'recollect_shop', id: 'a', memories: 1 });
    const engine = await host.open();
    const answers = [
      await recallTool.run(engine, { query: 'vpn gateway' }, { source: 'mcp' }),
      await contextTool.run(engine, { task: 'move the vpn gateway' }, { source: 'mcp' }),
      await listTool.run(engine, {}, { source: 'mcp' }),
      await conflictsTool.run(engine, {}, { source: 'mcp' }),
    ];
    for (const { text, structured } of answers) {
      assert.match(
        text,
        /^Nothing was found in what could be searched\.\nNot searched: the memories of this project\./u,
      );
      assert.match(
        (structured as { readonly about?: string }).about ?? '',
        /Not searched: the memories of this project/u,
      );
    }
  });
});
