import assert from 'node:assert/strict';
import fc from 'fast-check';
import { message, LocalizableMessage } from '../../../src/engine/base/localizableMessage.js';
import {
  parseMessage,
  formatMessage,
  messageTemplates,
  type MessageTemplateName,
} from '../../../src/engine/model/engineMessages.js';

const say = formatMessage as (name: MessageTemplateName, ...args: readonly (string | number)[]) => string;
const anyName = fc.constantFrom(...(Object.keys(messageTemplates) as MessageTemplateName[]));
const places = (name: MessageTemplateName): number => messageTemplates[name].match(/\{\d\}/gu)?.length ?? 0;

describe('sentences that the engine keeps', () => {
  it('are parsed back into their template and arguments', () => {
    const word = fc.stringMatching(/^[a-z.$&_-][a-z0-9.$&_-]{0,11}$/u);
    fc.assert(
      fc.property(anyName, fc.array(word, { minLength: 3, maxLength: 3 }), (name, words) => {
        const args = words.slice(0, places(name));
        const read = parseMessage(say(name, ...args))!;
        assert.deepEqual([read.pattern, ...read.args.map(String)], [messageTemplates[name], ...args]);
      }),
    );
  });

  it('are formatted the same again after parsing, for any arguments', () => {
    fc.assert(
      fc.property(anyName, fc.array(fc.string(), { minLength: 3, maxLength: 3 }), (name, args) => {
        const text = say(name, ...args.slice(0, places(name)));
        assert.equal(String(parseMessage(text)), text);
      }),
    );
  });

  it('give counts as numbers, which every language groups its own way', () => {
    const text = formatMessage('partlyEmbedded', 1_500, 20_000);
    assert.equal(text, 'searched by meaning: 1,500 of 20,000 memories; the others by words alone');
    assert.deepEqual(parseMessage(text)?.args, [1_500, 20_000]);
  });

  it('are nothing else', () => {
    const texts = ['', 'The region moved.', 'It contains a secret (a key'];
    assert.deepEqual(texts.map(parseMessage), [undefined, undefined, undefined]);
  });
});

describe('a message', () => {
  it('is a template with arguments', () => {
    const said = message`${'app.ts'}, line ${1_200}: ${message`the marker is damaged.`} Nothing was written.`;
    assert.equal(said.pattern, '{0}, line {1}: {2} Nothing was written.');
    assert.equal(String(said), 'app.ts, line 1,200: the marker is damaged. Nothing was written.');
  });

  it('leaves text that only resembles a placeholder unchanged', () => {
    assert.equal(String(new LocalizableMessage('Say {0} or {name}.')), 'Say {0} or {name}.');
    assert.equal(String(message`Say ${'{1}'} and ${'$&'}.`), 'Say {1} and $&.');
  });
});
