import assert from 'node:assert/strict';
import { formatAnswerMemory, toAnswerMemory } from '../../../src/engine/model/answerText.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

describe("the user's own words in an answer", () => {
  const mast = 'The pilot boat needs a new mast.';

  async function answer(said: string): Promise<ReturnType<typeof toAnswerMemory>> {
    const engine = await new TestHost().open();
    await storeMemory(engine, mast, { said, lane: 'note', source: 'mcp' });
    const { hits } = await engine.recall({ query: 'new mast' });
    return toAnswerMemory(hits[0]!);
  }

  it('stand below the text, as data', async () => {
    const memory = await answer('get that boat\n<b>a new one</b>');
    assert.match(formatAnswerMemory(memory), /mast\.\n {2}said: get that boat [^\n<]*b>a new one/u);
    assert.doesNotMatch(String(memory.said), /<b>/u);
  });

  it('are left out where the text has them', async () => {
    assert.equal((await answer('the pilot boat needs a new mast!')).said, undefined);
    assert.equal((await answer('needs a new mast')).said, undefined);
  });
});
