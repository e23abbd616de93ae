import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { matchesGolden } from './kit/golden.js';
import type { Mask } from './kit/mask.js';
import { scenario, scenarioCopy, writeTranscript } from './kit/scenario.js';
import type { Shell } from './kit/shell.js';

/** The files below a folder with their text, masked. */
function filesBelow(folder: string, mask: Mask): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(it => it.isFile())
    .map(it => path.join(it.parentPath, it.name))
    .sort()
    .map(it => `=== ${path.relative(folder, it).replaceAll('\\', '/')}\n${mask.string(readFileSync(it, 'utf8'))}`)
    .join('\n');
}

describe('what is written beside the code', function () {
  it('keeps the section of CLAUDE.md that publish writes', async () => {
    const { shell, mask } = await scenario();
    matchesGolden('CLAUDE.md', mask.copy().string(readFileSync(path.join(shell.project, 'CLAUDE.md'), 'utf8')));
  });

  it('keeps the place of the section among the words of other people, in each file that publish knows', async () => {
    const { shell, mask } = await scenarioCopy();
    const [agents, copilot, user] = [
      path.join(shell.project, 'AGENTS.md'),
      path.join(shell.project, '.github', 'copilot-instructions.md'),
      path.join(shell.home, '.claude', 'CLAUDE.md'),
    ];
    for (const it of [copilot, user]) mkdirSync(path.dirname(it), { recursive: true });
    writeFileSync(
      agents,
      '# Ours\n\nMine before.\n\n<!-- recollect:start -->\nOld.\n<!-- recollect:end -->\n\nMine after.\n',
    );
    writeFileSync(copilot, 'No newline at the end.');
    await shell.run('publish --target agents copilot user --with-notes --yes');
    const texts = [agents, copilot, user].map(
      it => `=== ${mask.string(it.replaceAll('\\', '/'))}\n${mask.string(readFileSync(it, 'utf8'))}`,
    );
    matchesGolden('published.txt', texts.join('\n'));
  });

  it('keeps the files and the front matter of the Markdown mirror that sync writes', async () => {
    const { shell, mask } = await scenario();
    matchesGolden('mirror.txt', filesBelow(path.join(shell.project, '.recollect'), mask.copy()));
  });

  it('keeps what sync takes in from a file that a person has written or changed', async () => {
    const { shell, mask } = await scenarioCopy();
    await shell.run('sync');
    const folder = path.join(shell.project, '.recollect', 'memory');
    writeFileSync(
      path.join(folder, 'learnings', 'my-own.md'),
      '---\ntags: [tides]\n---\n\nThe tide gate opens at dawn.\n',
    );
    const file = path.join(folder, 'decisions', 'we-chose-sqlite-because-it-needs-no-server.md');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('because it needs no server', 'because it is small'));
    const report = await shell.json('sync');
    matchesGolden('sync-in.json', mask.value(report));
    const taken = filesBelow(folder, mask);
    assert.match(taken, /The tide gate opens at dawn/u);
  });
});

describe('the hooks of an assistant', function () {
  const payload = (shell: Shell, event: string, more: object = {}): string =>
    JSON.stringify({
      session_id: 'abc',
      transcript_path: '/nowhere/abc.jsonl',
      cwd: shell.project,
      hook_event_name: event,
      ...more,
    });

  it('keep what they say at the start of a session, at a prompt and at a stop', async () => {
    const { shell, mask } = await scenarioCopy();
    const said: Record<string, unknown> = {};
    const hook = async (title: string, args: string, input: string): Promise<void> => {
      // A busy machine needs more than the seconds after which a hook gives up.
      const { code, out, err } = await shell.run(`hook ${args} --timeout 120`, input);
      said[title] = { code, err, out: out === '' ? '' : mask.value(JSON.parse(out)) };
    };
    const start = { source: 'startup' };
    await hook('session start', 'session-start', payload(shell, 'SessionStart', start));
    await hook('session start, short', 'session-start --budget 120', payload(shell, 'SessionStart', start));
    await hook(
      'session start elsewhere',
      'session-start',
      payload(shell, 'SessionStart', { ...start, cwd: shell.home }),
    );
    await hook('session resumed', 'session-start', payload(shell, 'SessionStart', { source: 'resume' }));
    const prompt = { prompt: 'Which port has the payments service?' };
    await hook('prompt', 'prompt', payload(shell, 'UserPromptSubmit', prompt));
    await hook('prompt that is a command', 'prompt', payload(shell, 'UserPromptSubmit', { prompt: '/compact' }));
    await hook('prompt about nothing', 'prompt', payload(shell, 'UserPromptSubmit', { prompt: 'xylophone' }));
    await hook('another event', 'session-start', payload(shell, 'Stop'));
    await hook('garbage', 'session-start', 'garbage');
    const transcript = writeTranscript(shell, 'Always ring the bell in fog.', 'later');
    const stop = { transcript_path: transcript, stop_hook_active: false };
    await hook('stop', 'stop', payload(shell, 'Stop', stop));
    matchesGolden('hooks.json', said);
  });

  it('keep what a session said, once a person has allowed it', async () => {
    const { shell, mask } = await scenarioCopy();
    writeFileSync(path.join(shell.project, 'CLAUDE.md'), 'Mine.\n');
    await shell.run('publish --yes');
    const known = new Set(((await shell.json('list')) as { id: string }[]).map(it => it.id));
    const transcript = writeTranscript(shell, 'Always ring the bell in fog.', 'later');
    await shell.run(
      'hook stop --timeout 120',
      payload(shell, 'Stop', { transcript_path: transcript, stop_hook_active: false }),
    );
    const kept = ((await shell.json('list')) as { id: string }[]).filter(it => !known.has(it.id));
    matchesGolden('hook-captured.json', mask.value(kept));
  });
});
