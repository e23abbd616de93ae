import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { TreeModel } from '../../../src/vscode/explorer/treeModel.js';
import type { ExplorerNode } from '../../../src/vscode/explorer/treeNodes.js';
import { temporaryFolder } from '../../support/fixtures.js';
import { CaptureHost } from '../capture/captureHost.js';

describe('the tree after an import', () => {
  let engine: MemoryEngine;
  let id: string;

  beforeEach(async () => {
    engine = await new CaptureHost({ project: true }).openAllowed();
    const file = path.join(temporaryFolder(), 'quay.md');
    writeFileSync(
      file,
      '- The office opens at eight.\n\n## Lights\n\n- The quay is lit until ten.\n- The pier is dark.\n',
    );
    id = (await engine.exchange.import({ path: file, format: 'markdown' })).id!;
  });

  const roots = async (): Promise<readonly ExplorerNode[]> => {
    const model = new TreeModel(engine, {
      ...{ grouping: 'topic', filter: '', loadedPages: new Map(), manyMemories: 5_000 },
      now: new Date(),
    });
    const { nodes } = await model.loadRoots();
    return [...nodes, ...(nodes[0]?.type === 'group' ? await model.childrenOf(nodes[0]) : [])];
  };

  it('shows the import as one that needs a person until each of its memories is decided', async () => {
    const toReview = async (): Promise<readonly number[]> =>
      (await roots()).flatMap(it => (it.type === 'intake' ? [it.intake.undecided] : []));
    const { items } = await engine.intakes.review(id, { limit: 10 });
    const [first = '', second = '', third = ''] = items.flatMap(it => it.memory?.id ?? []);
    assert.deepEqual(await toReview(), [3]);
    await engine.intakes.decide(id, { [first]: 'keep', [second]: 'drop' });
    assert.deepEqual(await toReview(), [1]);
    await engine.intakes.decide(id, { [third]: 'keep' });
    assert.deepEqual(await toReview(), []);
  });

  it('has the heading of a memory apart from its text, as the review has it', async () => {
    const lines = (await roots()).flatMap(it =>
      it.type === 'memory' ? [[it.details.memory.content, it.line?.heading, it.line?.text]] : [],
    );
    assert.deepEqual(lines.toSorted(), [
      ['Lights: The pier is dark.', 'Lights', 'The pier is dark.'],
      ['Lights: The quay is lit until ten.', 'Lights', 'The quay is lit until ten.'],
      ['The office opens at eight.', undefined, undefined],
    ]);
  });
});
