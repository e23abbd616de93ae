import path from 'node:path';
import { temporaryFolder } from '../support/fixtures.js';
import { runProcess, type ProcessResult } from '../support/runProcess.js';

/** Runs the real bundle as a person would, with nothing of this machine's own settings. */
export function runRecollect(
  args: readonly string[],
  options: { input?: string; home: string; env?: Record<string, string>; cwd?: string; pipeTo?: string },
): Promise<ProcessResult> {
  const { input = '', home, env = {}, cwd = home, pipeTo } = options;
  const command = [process.execPath, path.resolve('dist/cli.js'), ...withPatience(args)] as const;
  return runProcess(
    pipeTo === undefined ? command : ['bash', '-o', 'pipefail', '-c', `"$@" | ${pipeTo}`, 'bash', ...command],
    { input, cwd, env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_EMBEDDINGS: 'static', ...env } },
  );
}

/** A hook gives up after seconds, which on a busy machine are not enough; a test waits, unless it says how long. */
function withPatience(args: readonly string[]): readonly string[] {
  return args[0] !== 'hook' || args.includes('--timeout') ? args : [...args, '--timeout', '120'];
}

/** A home and a project folder of their own, and the command in them. */
export class Shell {
  readonly home = temporaryFolder();
  readonly project = temporaryFolder();
  /** Empty for what the settings say. */
  embeddings = 'static';

  run(args: string | readonly string[], input?: string, pipeTo?: string): Promise<ProcessResult> {
    return runRecollect(typeof args === 'string' ? args.split(' ').filter(it => it !== '') : args, {
      home: this.home,
      cwd: this.project,
      env: { RECOLLECT_HOME: `${this.home}/memory`, RECOLLECT_EMBEDDINGS: this.embeddings },
      ...(input === undefined ? {} : { input }),
      ...(pipeTo === undefined ? {} : { pipeTo }),
    });
  }

  async json(args: string | readonly string[], input?: string): Promise<{ code: number | null; data: unknown }> {
    const { code, out } = await this.run([...(typeof args === 'string' ? args.split(' ') : args), '--json'], input);
    return { code, data: JSON.parse(out) };
  }
}
