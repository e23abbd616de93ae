import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CaptureSource } from '../../src/engine/model/capture.js';
import { runRecollect } from '../cli/shell.js';
import { claudeCode, codex, copilot, geminiCli, opencode, type Assistant, type Setting } from './assistants.js';
import { lastWords, ScriptedModel } from './scriptedModel.js';

interface Program {
  readonly name: string;
  readonly source: CaptureSource;
  readonly make: (setting: Setting) => Promise<Assistant>;
  /** What a person lays down in its session. */
  readonly order: string;
}

const programs: readonly Program[] = [
  { name: 'Claude Code', source: 'claudeCode', make: claudeCode, order: 'From now on, ring the north bell by hand.' },
  { name: 'Codex', source: 'codex', make: codex, order: 'From now on, ring the south bell by hand.' },
  { name: 'Copilot CLI', source: 'copilotCli', make: copilot, order: 'From now on, ring the east bell by hand.' },
  { name: 'opencode', source: 'opencode', make: opencode, order: 'From now on, ring the west bell by hand.' },
  { name: 'Gemini CLI', source: 'geminiCli', make: geminiCli, order: 'From now on, ring the upper bell by hand.' },
];

/** The session files that real programs write, as our readers read them. */
describe('capture of real sessions', () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'recollect-sessions-')));
  let model: ScriptedModel;

  before(async () => {
    model = await ScriptedModel.start();
  });
  after(async () => {
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  for (const { name, source, make, order } of programs) {
    it(`captures what the person ordered ${name}, once, in the words of that person`, async () => {
      const [project, dataDir, home] = [path.join(folder, source), path.join(folder, `${source}-memory`), newHome()];
      mkdirSync(path.join(project, '.git'), { recursive: true });
      const assistant = await make({ model, project, dataDir, newHome: () => home });
      model.follow();
      const said = await assistant.ask(`${order} Then say good night.`);
      assert.ok(said.includes(lastWords), said);
      const capture = async (...args: readonly string[]): Promise<string> => {
        const env = { RECOLLECT_HOME: dataDir };
        const { code, out, err } = await runRecollect(['capture', '--source', source, ...args], {
          home,
          cwd: project,
          env,
        });
        assert.equal(code, 0, out + err);
        return out;
      };
      const first = await capture('--allow');
      assert.deepEqual(first.match(/(?<=\+ #[0-9a-f]{8} {2}).*/gu), [order], first);
      assert.doesNotMatch(await capture(), /\+ #/u);
    });
  }

  function newHome(): string {
    return mkdtempSync(path.join(folder, 'home-'));
  }
});
