import assert from 'node:assert/strict';
import type { LineWork, SessionLine } from '../../../src/engine/capture/sources/sessionLine.js';
import { parseClaudeCodeLine } from '../../../src/engine/capture/sources/claudeCode.js';
import { summarizeSession, reduceLine } from '../../../src/engine/capture/sessionSummary.js';
import { transcriptLine } from './captureHost.js';

describe('the summary of a session', () => {
  const said = (text: string): SessionLine => ({ kind: 'person', text, folder: '/work/harbour' }) as SessionLine;
  const did = (work: Partial<LineWork>): SessionLine =>
    ({
      kind: 'skipped',
      reason: 'toolUse',
      work: { changedFiles: [], testRuns: [], failedCalls: [], commands: [], results: [], ...work },
    }) as unknown as SessionLine;
  const summarize = (lines: readonly SessionLine[], commits: readonly string[] = []): string | undefined =>
    summarizeSession(lines.reduce(reduceLine, {}), commits);

  it('says what was asked, which files changed, what was committed and how the tests ended', () => {
    const run = (call: string) => ({ testRuns: [{ call, command: 'npm test' }] });
    const lines = [
      said('Hello! Paint the pier blue.'),
      did({ changedFiles: ['/work/harbour/src/pier.ts', '/elsewhere/notes.md'] }),
      did(run('a')),
      did({ failedCalls: ['a'] }),
      did({ changedFiles: ['/work/harbour/src/pier.ts'] }),
    ];
    assert.equal(
      summarize(lines, ['Paint the pier']),
      'Session. Asked: Paint the pier blue. Changed: src/pier.ts, notes.md. Commits: Paint the pier. Tests: npm test failed.',
    );
    assert.match(summarize([...lines, did(run('b'))])!, /Tests: npm test passed\.$/u);
  });

  it('is left out where nothing was done', () => {
    assert.equal(summarize([said('Why is the pier green?')]), undefined);
  });

  it('names eight files and counts the others', () => {
    const files = Array.from({ length: 11 }, (_, i) => `/work/harbour/${i}.ts`);
    assert.match(summarize([said('Paint it.'), did({ changedFiles: files })])!, /6\.ts, 7\.ts and 3 more\.$/u);
  });

  it("reads the work from Claude Code's tool calls", () => {
    const use = (name: string, input: object): string =>
      transcriptLine('assistant', { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name, input }] });
    const workOf = (text: string): unknown => {
      const line = parseClaudeCodeLine(text);
      return 'work' in line ? line.work : undefined;
    };
    const none = { changedFiles: [], testRuns: [], failedCalls: [], commands: [], results: [] };
    assert.deepEqual(workOf(use('Edit', { file_path: '/work/a.ts' })), { ...none, changedFiles: ['/work/a.ts'] });
    assert.deepEqual(workOf(use('Bash', { command: 'cd x && CI=1 pnpm test -- pier' })), {
      ...none,
      testRuns: [{ call: 't1', command: 'pnpm test' }],
      commands: [{ call: 't1', command: 'cd x && CI=1 pnpm test -- pier' }],
    });
    assert.equal(workOf(use('Read', { file_path: '/work/a.ts' })), undefined);
    assert.equal(workOf(use('Bash', { command: 'npm run watch', run_in_background: true })), undefined);
    const ended = (result: object): unknown =>
      workOf(
        transcriptLine('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', ...result }] }),
      );
    const failure = { is_error: true, content: 'Exit code 1' };
    const failed = { ...none, failedCalls: ['t1'] };
    assert.deepEqual(ended(failure), { ...failed, results: [{ call: 't1', hasFailed: true }] });
    assert.deepEqual(ended({ content: 'ok' }), { ...none, results: [{ call: 't1', hasFailed: false }] });
    const refusals = [
      "The user doesn't want to proceed with this tool use. The tool use was rejected.",
      '[Request interrupted by user for tool use]',
      '<tool_use_error>File has not been read yet.</tool_use_error>',
      'Command timed out after 2m 0.0s',
    ];
    for (const content of refusals) assert.deepEqual(ended({ ...failure, content }), failed, content);
  });
});
