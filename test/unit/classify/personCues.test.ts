import assert from 'node:assert/strict';
import { readsAsPersonal } from '../../../src/engine/classify/personCues.js';

describe('readsAsPersonal', () => {
  const table: readonly (readonly [reading: 'personal' | 'not personal', statement: string])[] = [
    ['personal', 'I prefer early returns.'],
    ['personal', 'my keyboard is Swedish'],
    ['personal', "my name's Ines"],
    ['personal', "I'm deaf in one ear, so no audio notes"],
    ['personal', 'Prefers small diffs'],
    ['personal', 'The user works from Oslo.'],
    ['personal', 'Never push yourself.'],
    ['personal', 'Show me the plan before you edit anything.'],
    ['personal', 'Answer in one paragraph.'],
    ['personal', 'Ich arbeite lieber mit der Tastatur.'],
    ['personal', '我喜欢简短的回答'],
    ['personal', "I'm the tech lead of the search team."],
    ['personal', 'My role is data engineer.'],
    ['personal', 'My GitHub handle is ines-k.'],
    ['personal', 'I own a split keyboard.'],
    ['personal', 'I manage my Node versions with fnm on all machines.'],
    ['personal', 'Do not install anything w/o asking.'],
    ['personal', 'As a beginner I need the commands spelled out.'],
    ['personal', "Explain a regex in a comment, I can't read them."],
    ['personal', 'Mein Editor ist Kakoune.'],
    ['not personal', "I'm the release manager for this repo."],
    ['not personal', 'I own the search module.'],
    ['not personal', "I'm working on the sign-up page."],
    ['not personal', 'I see an error in line 9.'],
    ['not personal', 'I have a failing test in search.spec.ts.'],
    ['not personal', "I can't reproduce the bug."],
    ['not personal', 'I run the tests with just test.'],
    ['not personal', 'We ship on Thursdays.'],
    ['not personal', 'The formatter is dprint, not prettier.'],
    ['not personal', 'Always rebase in this repo.'],
    ['not personal', 'Use yarn, not npm.'],
    ['not personal', 'I want the migration notes in the ticket.'],
    ['not personal', 'Edit files in packages/core only.'],
    ['personal', "J'ai une mauvaise vue."],
    ['personal', 'Ich habe eine Leseschwäche.'],
    ['personal', '我用双拼输入法'],
    ['not personal', "J'ai déplacé la réunion au jeudi."],
    ['not personal', "J'ai enfin fini la page de connexion."],
    ['not personal', 'Ich habe die Besprechung auf Donnerstag verschoben.'],
    ['not personal', 'Ich habe den Test für die Anmeldung repariert.'],
    ['not personal', '我把会议改到周四了'],
    ['not personal', 'Tomek prefers small pull requests.'],
    ['not personal', 'The user table has a soft delete.'],
    ['not personal', 'Keep functions short.'],
  ];
  for (const [reading, statement] of table) {
    it(`${reading}: ${statement}`, () => {
      assert.equal(readsAsPersonal(statement), reading === 'personal');
    });
  }
});
