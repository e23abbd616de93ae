import assert from 'node:assert/strict';
import { classifyStore } from '../../../src/engine/classify/storeCues.js';
import type { Gate, StoreKind } from '../../../src/engine/model/memory.js';

describe('classifyStore', () => {
  const table: readonly (readonly [store: StoreKind, gate: Gate, statement: string])[] = [
    ['global', 'behavioral', 'I prefer early returns.'],
    ['global', 'behavioral', 'my keyboard is Swedish'],
    ['global', 'relational', "my name's Ines"],
    ['global', 'epistemic', "I'm deaf in one ear, so no audio notes"],
    ['global', 'behavioral', 'Prefers small diffs'],
    ['global', 'behavioral', 'The user works from Oslo.'],
    ['global', 'correction', 'Never push yourself.'],
    ['global', 'behavioral', 'Show me the plan before you edit anything.'],
    ['global', 'behavioral', 'Answer in one paragraph.'],
    ['global', 'behavioral', 'Ich arbeite lieber mit der Tastatur.'],
    ['global', 'behavioral', '我喜欢简短的回答'],
    ['project', 'epistemic', 'We ship on Thursdays.'],
    ['project', 'correction', 'The formatter is dprint, not prettier.'],
    ['project', 'behavioral', 'Always rebase in this repo.'],
    ['project', 'correction', 'Use yarn, not npm.'],
    ['project', 'behavioral', 'I want the migration notes in the ticket.'],
    ['project', 'behavioral', 'Edit files in packages/core only.'],
    ['project', 'promissory', 'I will rename the flag by Friday.'],
    ['project', 'relational', 'Tomek prefers small pull requests.'],
    ['project', 'epistemic', 'The user table has a soft delete.'],
    ['project', 'behavioral', 'Keep functions short.'],
  ];
  for (const [store, gate, statement] of table) {
    it(`${store}: ${statement}`, () => {
      assert.equal(classifyStore(statement, gate), store);
    });
  }
});
