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
    ['global', 'relational', "I'm the tech lead of the search team."],
    ['global', 'behavioral', 'My role is data engineer.'],
    ['global', 'behavioral', 'My GitHub handle is ines-k.'],
    ['global', 'relational', 'I own a split keyboard.'],
    ['global', 'relational', 'I manage my Node versions with fnm on all machines.'],
    ['global', 'correction', 'Do not install anything w/o asking.'],
    ['global', 'epistemic', 'As a beginner I need the commands spelled out.'],
    ['global', 'behavioral', "Explain a regex in a comment, I can't read them."],
    ['global', 'behavioral', 'Mein Editor ist Kakoune.'],
    ['project', 'behavioral', "I'm the release manager for this repo."],
    ['project', 'relational', 'I own the search module.'],
    ['project', 'epistemic', "I'm working on the sign-up page."],
    ['project', 'behavioral', 'I see an error in line 9.'],
    ['project', 'epistemic', 'I have a failing test in search.spec.ts.'],
    ['project', 'epistemic', "I can't reproduce the bug."],
    ['project', 'behavioral', 'I run the tests with just test.'],
    ['project', 'epistemic', 'We ship on Thursdays.'],
    ['project', 'correction', 'The formatter is dprint, not prettier.'],
    ['project', 'behavioral', 'Always rebase in this repo.'],
    ['project', 'correction', 'Use yarn, not npm.'],
    ['project', 'behavioral', 'I want the migration notes in the ticket.'],
    ['project', 'behavioral', 'Edit files in packages/core only.'],
    ['global', 'behavioral', "J'ai une mauvaise vue."],
    ['global', 'behavioral', 'Ich habe eine Leseschwäche.'],
    ['global', 'behavioral', '我用双拼输入法'],
    ['project', 'epistemic', "J'ai déplacé la réunion au jeudi."],
    ['project', 'epistemic', "J'ai enfin fini la page de connexion."],
    ['project', 'epistemic', 'Ich habe die Besprechung auf Donnerstag verschoben.'],
    ['project', 'epistemic', 'Ich habe den Test für die Anmeldung repariert.'],
    ['project', 'epistemic', '我把会议改到周四了'],
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
