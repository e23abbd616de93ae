import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { estimateTokens } from '../../src/engine/text/tokenEstimate.js';
import { temporaryFolder } from '../support/fixtures.js';
import { connectClient } from './mcpClient.js';

interface StoredFact extends Readonly<Record<string, unknown>> {
  readonly content: string;
  readonly rule?: true;
}

const firstDay = JSON.parse(readFileSync(path.resolve('test/fixtures/briefing/firstDay.json'), 'utf8')) as {
  readonly sessions: readonly (readonly StoredFact[])[];
};
const facts = firstDay.sessions.flat();

describe('the briefing after an assistant’s first day', () => {
  it('has the rules for work that a model stored in three sessions by the description of the tool alone', async () => {
    const [dataDir, cwd, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    for (const session of firstDay.sessions) {
      const server = await connectClient({ dataDir, cwd, home, tools: 'default' });
      for (const { rule: _, ...fact } of session) {
        const { failed, text } = await server.call('remember', { facts: [fact] });
        assert.ok(!failed, text);
      }
      await server.client.close();
    }
    const input = JSON.stringify({ session_id: 'day-two', cwd, hook_event_name: 'SessionStart', source: 'startup' });
    const env = { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: dataDir };
    const args = [path.resolve('dist/cli.js'), 'hook', 'session-start', '--timeout', '120'];
    const out = execFileSync(process.execPath, args, { input, env, cwd, encoding: 'utf8' });
    const { hookSpecificOutput } = JSON.parse(out) as { hookSpecificOutput: { additionalContext: string } };
    const briefing = hookSpecificOutput.additionalContext;
    const rules = facts.filter(it => it.rule === true);
    assert.equal(rules.length, 18);
    const missing = rules.filter(it => !briefing.includes(it.content)).map(it => it.content);
    assert.ok(missing.length <= 1, `${missing.join('\n')}\n\n${briefing}`);
    assert.ok(estimateTokens(briefing) <= 1_000);
  });
});
