import assert from 'node:assert/strict';
import { maxDrafts, maxSearchLength, maxTextLength } from '../../../src/protocol.js';
import { readWebviewMessage } from '../../../src/vscode/inspector/webviewMessage.js';

describe('a message of the webview', () => {
  const request = { type: 'request', requestId: 3, name: 'pin', input: { id: 'a1b2' } };

  it('is read where it is one of the protocol', () => {
    for (const it of [{ type: 'ready' }, request, { ...request, name: 'traces', input: { limit: 5, text: 'port' } }])
      assert.deepEqual(readWebviewMessage(it), it);
  });

  it('may have a text of the length that an input takes, and none longer', () => {
    const text = 'x'.repeat(maxSearchLength);
    const content = 'x'.repeat(maxTextLength);
    const inputs: readonly (readonly [name: string, (more: string) => object])[] = [
      ['traces', more => ({ limit: 5, text: text + more })],
      ['pickMemory', more => ({ text: text + more })],
      ['memories', more => ({ offset: 0, limit: 5, query: text + more })],
      ['memories', more => ({ place: 'global', offset: 0, limit: 5, words: text + more })],
      ['editText', more => ({ id: 'a1b2', edit: { content: content + more, before: 'x' } })],
    ];
    for (const [name, inputOf] of inputs) {
      const read = (more: string): unknown => readWebviewMessage({ ...request, name, input: inputOf(more) });
      assert.deepEqual([read('') !== undefined, read('x')], [true, undefined], name);
    }
  });

  it('may be of the texts that are not saved', () => {
    const draft = { id: 'a1b2', before: 'x', text: 'x'.repeat(maxTextLength) };
    const message = { type: 'drafts', drafts: [draft] };
    assert.deepEqual(readWebviewMessage(message), message);
    const tooMany = Array.from({ length: maxDrafts + 1 }, () => draft);
    for (const drafts of [undefined, [{ ...draft, text: `${draft.text}x` }], [{ ...draft, id: 7 }], tooMany])
      assert.equal(readWebviewMessage({ type: 'drafts', drafts }), undefined);
  });

  const others: readonly unknown[] = [
    undefined,
    'ready',
    { ...request, name: 'toString' },
    { ...request, name: '__proto__' },
    { ...request, name: 'deleteEverything' },
    { ...request, requestId: '3' },
    { ...request, input: undefined },
    { ...request, input: { id: 7 } },
    { ...request, input: { id: 'a1b2', scopeId: 'other' } },
    { ...request, name: 'edgesBetween', input: { ids: 'a1b2' } },
    { ...request, name: 'edgesBetween', input: { ids: Array.from({ length: 10_001 }, () => 'a1b2') } },
    { ...request, name: 'feedback' },
    { ...request, name: 'forecast', input: { days: 1e9 } },
    { ...request, name: 'traces', input: { limit: 'all' } },
    { ...request, name: 'decideIntake', input: { id: 'a1b2', choices: { c3d4: 'purge' } } },
  ];
  it('is nothing where it is not', () => {
    assert.deepEqual(
      others.map(it => readWebviewMessage(it)),
      others.map(() => undefined),
    );
  });
});
