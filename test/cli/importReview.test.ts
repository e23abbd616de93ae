import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Shell } from './shell.js';

const rules = `# Project

This file provides guidance to assistants when working with this repository.

## Pier

- Never paint the pier green.
- Always wash the pier on Mondays.

## Boats

- The north side is for boats of members.
- Always check the ropes of a boat twice.
- [ ] Order new ropes

## Empty
`;

describe('import --review', () => {
  it('decides an import by file, heading and line, and keeps what was decided when it is left', async () => {
    const shell = new Shell();
    const file = path.join(shell.project, 'AGENTS.md');
    writeFileSync(file, rules);
    const imported = await shell.run('import AGENTS.md');
    assert.equal(imported.code, 0);
    assert.match(imported.out, /AGENTS\.md: 4 new, 0 known, 0 left out, 3 passed over/u);
    const contents = async (): Promise<string[]> =>
      ((await shell.json('list')).data as { readonly content: string; readonly lane: string }[])
        .map(it => `${it.lane} ${it.content}`)
        .sort();
    // Another assistant's session is not given it before a person has looked, and the briefing names the way there.
    const { out: briefing } = await shell.run('briefing --for codex');
    assert.match(briefing, /- \d memories: imported, and not confirmed by you\n.*: recollect import --review$/mu);
    assert.doesNotMatch(briefing, /pier green/u);
    // By heading; the pier is kept, and then it is left.
    const first = await shell.run('import --review', 'hkq');
    assert.match(first.out, /AGENTS\.md: 4 memories\n +2 {2}Pier\n +2 {2}Boats/u);
    assert.match(first.out, /2 kept, 0 dropped, 2 undecided\./u);
    // What was decided does not come again; the boats are decided line by line.
    // The last one is taken back, and decided again.
    const second = await shell.run('import --review', 'hldkukq');
    assert.match(second.out, /That was the last one[^]*Taken back[^]*That was the last one/u);
    assert.match(second.out, /AGENTS\.md: 2 memories\n +2 {2}Boats/u);
    assert.match(second.out, /1 kept, 1 dropped, 0 undecided\./u);
    assert.deepEqual(await contents(), [
      'confirmed Boats: Always check the ropes of a boat twice.',
      'confirmed Pier: Always wash the pier on Mondays.',
      'confirmed Pier: Never paint the pier green.',
    ]);
  });

  it('names what an earlier import had when a file is imported again', async () => {
    const shell = new Shell();
    const file = path.join(shell.project, 'AGENTS.md');
    writeFileSync(file, rules);
    assert.doesNotMatch((await shell.run('import AGENTS.md')).err, /--changes/u);
    writeFileSync(file, rules.replace('Never paint the pier green.', 'Oil the planks of the pier in May.'));
    const again = await shell.run('import AGENTS.md');
    assert.match(again.out, /1 new, 3 known/u);
    assert.match(
      again.err,
      /^1 memory of an earlier import is no longer there in these words: recollect import --changes$/mu,
    );
    assert.match((await shell.run('import --changes')).out, /gone +#\w+ +Pier: Never paint the pier green\./u);
  });
});
