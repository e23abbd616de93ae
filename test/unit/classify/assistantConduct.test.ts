import assert from 'node:assert/strict';
import { isAssistantConduct } from '../../../src/engine/classify/assistantConduct.js';

describe('how an assistant is to behave', () => {
  for (const statement of [
    'Answer in one paragraph.',
    'Always answer in English.',
    'Please keep answers short.',
    "Don't apologize all the time.",
    'Stop apologizing.',
    'You apologize too much; never apologize.',
    'No emojis, please.',
    'Never use emojis in answers.',
    'Be brief.',
    'Please be more direct.',
    'Ask me one thing at a time.',
    'Stop asking me whether I am sure.',
    "Don't flatter me.",
    'Your answers are too long.',
    "I don't like your tone.",
    'I prefer short answers.',
    'Explain the idea first, then the details.',
    'Call me Ines.',
    'One question at a time.',
    'When you are not sure, tell me so.',
    "Don't repeat my question before you answer.",
  ]) {
    it(`holds in every project: ${statement}`, () => {
      assert.equal(isAssistantConduct(statement), true);
    });
  }

  for (const statement of [
    'I prefer tabs.',
    'Thanks.',
    'I work in Lisbon.',
    'Never push without asking me.',
    'Show me the diff before you commit.',
    'Ask before you deploy.',
    'Ask Ilse before you merge.',
    'Explain every regex in a comment.',
    'Answer support tickets within two days.',
    'The bot answers in English.',
    'Answers are cached for an hour.',
    'Reply with 404 where the row is missing.',
    'The API replies with JSON.',
    'Use British English in the docs.',
    'Keep functions short.',
    'Be careful with the migration.',
    'Respond to requests in under 200 ms.',
    'We talk to the vendor on Mondays.',
    'Tell the team before a release.',
    'Do not mock the database.',
    'Summaries of the meeting go to the wiki.',
    'Your changes broke src/main.c.',
  ]) {
    it(`is the project's: ${statement}`, () => {
      assert.equal(isAssistantConduct(statement), false);
    });
  }
});
