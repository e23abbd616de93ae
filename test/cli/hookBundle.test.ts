import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { commandLineBundle, hookContextBundle } from '../../scripts/bundles.mjs';
import { runProcess } from '../support/runProcess.js';
import { Shell } from './shell.js';

describe('the bundle of the hooks', () => {
  it('is small as it is shipped, because an assistant waits while it is loaded', async () => {
    const { outputFiles, metafile } = await build({ ...commandLineBundle(true), write: false, metafile: true });
    const [file] = outputFiles;
    assert.ok(file!.contents.length < 15_000, `${file!.contents.length} bytes`);
    assert.deepEqual(
      Object.keys(metafile.inputs).filter(it => it.includes('node_modules')),
      [],
    );
  });

  it('that reads a store is small too, and has no package in it', async () => {
    const { outputFiles, metafile } = await build({ ...hookContextBundle(true), write: false, metafile: true });
    assert.ok(outputFiles[0]!.contents.length < 110_000, `${outputFiles[0]!.contents.length} bytes`);
    assert.deepEqual(
      Object.keys(metafile.inputs).filter(it => it.includes('node_modules')),
      [],
    );
  });

  const loads: readonly (readonly [event: string, packages: readonly string[]])[] = [
    ['session-start', ['@vscode/sqlite3']],
    ['prompt', []],
    // About a command that nothing is remembered of.
    ['before-tool', []],
    ['after-tool', []],
    ['stop', ['@vscode/sqlite3']],
  ];
  for (const [event, packages] of loads) {
    it(`is all that the hook ${event} loads in its own process, with ${packages.join() || 'no package'}`, async () => {
      const shell = new Shell();
      await shell.run(['remember', 'The ferry leaves from pier seven.']);
      const [listing, list] = [path.join(shell.home, 'loaded.txt'), path.join(shell.home, 'list.js')];
      const write = `require('node:fs').writeFileSync(${JSON.stringify(listing)}, [...Object.keys(require.cache), ...process.moduleLoadList].join('\\n'))`;
      writeFileSync(list, `process.on('exit', () => ${write});`);
      const name = {
        'session-start': 'SessionStart',
        prompt: 'UserPromptSubmit',
        'before-tool': 'PreToolUse',
        'after-tool': 'PostToolUseFailure',
        stop: 'Stop',
      }[event];
      const input = JSON.stringify({
        session_id: 'abc',
        transcript_path: '/nowhere/abc.jsonl',
        cwd: shell.project,
        hook_event_name: name,
        source: 'startup',
        prompt: 'Where does the ferry leave?',
        tool_name: 'Bash',
        tool_input: { command: 'make all' },
        ...(event === 'after-tool' ? { error: 'Exit code 2' } : {}),
      });
      const command = ['-r', list, path.resolve('dist/cli.js'), 'hook', event, '--timeout', '120'] as const;
      const env = { PATH: process.env.PATH ?? '', HOME: shell.home, RECOLLECT_HOME: `${shell.home}/memory` };
      const { code } = await runProcess([process.execPath, ...command], { input, cwd: shell.project, env });
      const listed = readFileSync(listing, 'utf8').split('\n');
      const loaded = listed.filter(it => path.isAbsolute(it));
      // Reading these modules of Node takes longer than what a hook of a tool call has to do.
      const slow = ['child_process', 'crypto', 'v8', 'worker_threads', 'zlib'].filter(it =>
        listed.includes(`NativeModule ${it}`),
      );
      if (event.endsWith('tool')) assert.deepEqual(slow, []);
      const found = loaded.flatMap(it => /node_modules[\\/]((?:@[\w-]+[\\/])?[\w-]+)/u.exec(it)?.[1] ?? []);
      assert.deepEqual([code, [...new Set(found)]], [0, packages]);
      assert.deepEqual(
        loaded.filter(it => it !== list && !it.includes('node_modules')),
        [
          'cli.js',
          ...(event.endsWith('tool') ? [] : ['hook.js']),
          ...(packages.length === 0 ? [] : ['hookContext.js']),
        ].map(it => path.resolve('dist', it)),
      );
    });
  }

  it('loads nothing for a prompt that reads the answers of servers, which no hook asks', () => {
    const task = path.resolve('out/src/cli/hooks/promptTask.js');
    const program = `require(${JSON.stringify(task)}); console.log(Object.keys(require.cache).join('\\n'))`;
    const loaded = execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }).split('\n');
    assert.ok(loaded.includes(task));
    assert.deepEqual(
      loaded.filter(it => /[\\/]node_modules[\\/](?:zod|@anthropic-ai|@modelcontextprotocol)[\\/]/u.test(it)),
      [],
    );
  });
});
