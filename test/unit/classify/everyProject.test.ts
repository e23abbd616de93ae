import assert from 'node:assert/strict';
import { saysEveryProject } from '../../../src/engine/classify/everyProject.js';
import { temporaryFolder, TestHost } from '../../support/fixtures.js';

describe('a statement that names all projects', () => {
  for (const [statement, expected] of [
    ['In all my projects I prefer tabs.', true],
    ['Use tabs in every project I work on.', true],
    ['Across all of my repositories, tests come first.', true],
    ['All projects of the harbour use tabs.', false],
    ['Use tabs in this project.', false],
    ['My projects are listed in the README.', false],
  ] as const) {
    it(`${expected ? 'holds everywhere' : 'holds in its project'}: ${statement}`, () => {
      assert.equal(saysEveryProject(statement), expected);
    });
  }

  it('goes to all projects where a person says it, and to its project where a model does', async () => {
    for (const [source, store] of [
      ['explicit', 'global'],
      ['mcp', 'project'],
    ] as const) {
      const host = new TestHost();
      host.workspaceFolders = [temporaryFolder()];
      const engine = await host.open();
      const [outcome] = await engine.remember({ content: 'In all my projects I prefer tabs.', source });
      assert.equal(outcome?.outcome === 'stored' && outcome.store, store);
    }
  });
});
