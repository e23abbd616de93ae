import assert from 'node:assert/strict';
import { describeRememberOutcome } from '../../../src/operations/describeMemory.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { RememberOutcome } from '../../../src/engine/model/rememberOutcome.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';
import { temporaryFolder } from '../../support/fixtures.js';

const habit = 'I prefer tabs over spaces in every editor.';

describe('the offer to keep a fact for all projects', () => {
  waitForEncoder();

  async function remember(engine: MemoryEngine, input: Partial<RememberInput>): Promise<RememberOutcome> {
    const [outcome] = await engine.remember({ content: habit, source: 'explicit', ...input });
    return outcome!;
  }
  function openInProject(): Promise<MemoryEngine> {
    const host = encoderHost();
    host.workspaceFolders = [temporaryFolder()];
    return host.open();
  }
  const isOffered = (outcome: RememberOutcome): boolean =>
    outcome.outcome === 'stored' && outcome.mayHoldEverywhere === true;

  it('comes with what reads as a habit of the person who typed it, which stays in the project', async () => {
    const engine = await openInProject();
    const outcome = await remember(engine, {});
    assert.ok(isOffered(outcome) && outcome.outcome === 'stored' && outcome.store === 'project');
    assert.match(
      describeRememberOutcome(outcome),
      new RegExp(`\\n {2}for all your projects: recollect move ${outcome.id.slice(-8)} --to global$`, 'u'),
    );
    const { moved } = await engine.moves.move([outcome.id], 'global');
    assert.deepEqual(
      moved.map(it => [it.content, it.store]),
      [[habit, 'global']],
    );
  });

  it('does not come with facts of a project, a second time, by a model, or where the place was given', async () => {
    const engine = await openInProject();
    const facts = [
      'The staging database is refreshed every Monday.',
      'We deploy with Kamal from the main branch.',
      'Invoices are numbered per tenant.',
    ];
    for (const content of facts) assert.ok(!isOffered(await remember(engine, { content })), content);
    const places: readonly Partial<RememberInput>[] = [
      { source: 'mcp' },
      { store: 'project' },
      { store: 'global' },
      { symbol: 'formatLine' },
      { scopeId: 'editor' },
    ];
    for (const it of places) assert.ok(!isOffered(await remember(await openInProject(), it)), JSON.stringify(it));
    assert.ok(isOffered(await remember(engine, {})));
    assert.ok(!isOffered(await remember(engine, {})));
  });
});
