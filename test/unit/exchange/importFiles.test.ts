import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readTextLines } from '../../../src/engine/exchange/formats/importFiles.js';
import { temporaryFolder, TestHost } from '../../support/fixtures.js';

describe('readTextLines', () => {
  it('splits at line breaks alone, and cuts a line of any length', async () => {
    const file = path.join(temporaryFolder(), 'lines');
    writeFileSync(file, `\uFEFFfirst\r\n"a\u2028b"\n\n${'x'.repeat(9_000_000)}\nlast`);
    const lines: string[] = [];
    for await (const it of readTextLines(file)) lines.push(it);
    assert.deepEqual(
      lines.map(it => (it.length > 100 ? it.length : it)),
      ['first', '"a\u2028b"', '', 4_000_000, 'last'],
    );
  });
});

describe('the instructions of a project', () => {
  it('leave out those of its folders, and name them', async () => {
    const host = new TestHost({ project: true });
    const folder = host.workspaceFolders[0]!;
    mkdirSync(path.join(folder, 'apps', 'pier'), { recursive: true });
    writeFileSync(path.join(folder, 'CLAUDE.md'), '- Ropes are made of hemp.\n');
    writeFileSync(path.join(folder, 'apps', 'pier', 'CLAUDE.md'), '- Bells are never rung at night.\n');
    writeFileSync(path.join(folder, 'apps', 'pier', 'README.md'), '- The pier is long.\n');
    const engine = await host.open();
    const { sources, notes } = await engine.exchange.import({ path: folder });
    assert.deepEqual(
      sources.map(it => it.source),
      ['CLAUDE.md'],
    );
    assert.deepEqual(notes?.map(String), [
      'Not read, because they hold in their own folders only: apps/pier/CLAUDE.md. Import one by its path.',
    ]);
  });
});

describe('a command of a shell block', () => {
  it('becomes a fact of the project whatever its purpose sounds like, unless what stands above it forbids it', async () => {
    const host = new TestHost({ project: true });
    const file = path.join(host.workspaceFolders[0]!, 'CLAUDE.md');
    const block = (purpose: string, command: string): string => `\`\`\`sh\n# ${purpose}\n${command}\n\`\`\`\n`;
    const lines = [
      '## Quick Commands\n',
      block('Always run the pier tests with coverage', 'make pier-tests'),
      block('We will ship on 30 December', 'make ship DAYS=30'),
      '## Never\n',
      'Never run this on the harbour:\n',
      block('Drain', 'make drain'),
      '- Always ring the bell before noon.\n',
    ];
    writeFileSync(file, lines.join('\n'));
    const engine = await host.open();
    const { sources } = await engine.exchange.import({ path: file, dryRun: true });
    assert.deepEqual(
      sources[0]!.preview!.map(it => [it.content.replace(/^.*: /u, ''), it.gate]),
      [
        ['`make pier-tests`', 'epistemic'],
        ['`make ship DAYS=30`', 'epistemic'],
        ['`make drain`', 'correction'],
        ['Always ring the bell before noon.', 'behavioral'],
      ],
    );
  });
});
