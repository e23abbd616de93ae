import assert from 'node:assert/strict';
import { shortId } from '../../../src/engine/model/memory.js';
import { reviseTool } from '../../../src/operations/revise.js';
import { rememberTool } from '../../../src/operations/remember.js';
import { requestDecision, type ToolResult } from '../../../src/operations/tool.js';
import { memoryInput, storeMemory, TestHost } from '../../support/fixtures.js';

describe('an assistant that says one confirmed memory replaces another one', () => {
  it('makes a request, which changes nothing until a person accepts it', async () => {
    const host = new TestHost();
    host.client = 'mcp:claude-code';
    const engine = await host.open();
    const old = await storeMemory(engine, 'The harbour office opens at nine.');
    const current = await storeMemory(engine, 'The harbour office opens at ten.');
    const input = { id: shortId({ id: old }), replacedBy: shortId({ id: current }) };

    const confirmation = await reviseTool.confirm?.(engine, input);
    const { title, message, request } = confirmation!;
    assert.deepEqual(
      [String(title), String(message)],
      ['Replace this?', 'The harbour office opens at nine.\n\nBy this:\nThe harbour office opens at ten.'],
    );
    assert.deepEqual(request, { action: 'replace', id: old, replacedBy: current });
    await requestDecision(engine, confirmation!, 'this client cannot ask them');
    const requested = (await engine.actionRequests.list()).map(({ action, memory, replacedBy, client }) => [
      action,
      memory.id,
      replacedBy,
      client,
    ]);
    assert.deepEqual(requested, [['replace', old, current, 'mcp:claude-code']]);
    assert.deepEqual(await engine.conflicts.list(), []);
    await assert.rejects(engine.revise(input, 'model'), { code: 'invalidInput' });

    await engine.actionRequests.accept(old);
    assert.deepEqual(await engine.actionRequests.list(), []);
    const replacement = (await engine.conflicts.replacements(await engine.getMany([old]))).get(old);
    assert.deepEqual([replacement?.id, replacement?.by], [current, 'person']);
  });

  it('requests a merge where both say the same, which costs nothing', async () => {
    const engine = await new TestHost().open();
    const old = await storeMemory(engine, 'The harbour office opens at nine.');
    const current = await storeMemory(engine, 'The office of the harbour opens at 9 am.');
    const confirmation = await reviseTool.confirm?.(engine, { id: old, sameAs: current });
    assert.deepEqual(confirmation?.request, { action: 'merge', id: old, replacedBy: current });
    await requestDecision(engine, confirmation, 'this client cannot ask them');
    await assert.rejects(engine.revise({ id: old, sameAs: current }, 'model'), { code: 'invalidInput' });

    const { confidence } = await engine.get(old);
    await engine.actionRequests.accept(old);
    const merged = await engine.get(old);
    const replacement = (await engine.conflicts.replacements([merged])).get(old);
    assert.deepEqual([replacement?.id, replacement?.by, merged.confidence], [current, 'person', confidence]);
  });

  it('hears that what a person confirmed stands until they settle it, and a note is replaced', async () => {
    const engine = await new TestHost().open();
    const confirmed = shortId({ id: await storeMemory(engine, 'The harbour office opens at nine.') });
    const remember = (content: string, replaces: string): Promise<ToolResult<object>> =>
      rememberTool.run(engine, { facts: [{ content, replaces: [replaces] }] }, { source: 'mcp' });
    const first = await remember('The harbour office opens at ten.', confirmed);
    assert.match(first.text, new RegExp(`The user confirmed #${confirmed}, which stays until they settle it: "`, 'u'));
    assert.doesNotMatch(first.text, /Replaces/u);
    const note = shortId((await engine.list({ lane: 'note' }))[0]!);
    assert.match(
      (await remember('The harbour office opens at noon.', note)).text,
      new RegExp(`Replaces #${note}: "`, 'u'),
    );
    const later = await reviseTool.run(engine, { id: confirmed, replacedBy: note }, { source: 'mcp' });
    assert.match(
      later.text,
      new RegExp(`: The user confirmed it: it stays, together with #${note}, until they settle`, 'u'),
    );
  });

  it('asks no person where one of the two is a note', async () => {
    const engine = await new TestHost().open();
    const [note] = await engine.remember(memoryInput('The crane lifts nine tonnes.', { lane: 'note', source: 'mcp' }));
    assert.ok(note?.outcome === 'stored');
    const confirmed = await storeMemory(engine, 'The crane lifts twelve tonnes.');
    assert.equal(await reviseTool.confirm?.(engine, { id: note.id, replacedBy: confirmed }), undefined);
    assert.equal(await reviseTool.confirm?.(engine, { id: note.id, stillTrue: true }), undefined);
  });
});
