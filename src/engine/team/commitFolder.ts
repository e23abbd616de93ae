import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { withoutGitVariables } from '../base/git.js';
import type { TeamFolder } from './teamFolder.js';

/** The hooks of a repository may take their time. */
const timeoutMs = 120_000;
const run = promisify(execFile);

/**
 * Has git commit the folder of a team and nothing else, with the person's settings, hooks and signature. Only for a person who
 * asked for it.
 * @throws EngineError notAllowed with what git says
 */
export async function commitFolder({ project, name }: TeamFolder, subject: string): Promise<void> {
  const git = (...args: readonly string[]): Promise<unknown> =>
    run('git', ['-C', project, ...args], {
      timeout: timeoutMs,
      windowsHide: true,
      env: { ...withoutGitVariables(process.env), GIT_TERMINAL_PROMPT: '0' },
    });
  try {
    await git('add', '--', name);
    await git('commit', '--quiet', '-m', subject, '--only', '--', name);
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { readonly stderr?: string; readonly stdout?: string };
    const [reason = ''] = `${stderr}\n${stdout}`.trim().split('\n');
    throw new EngineError(
      'notAllowed',
      message`It was written, and git did not commit ${name}: ${reason.slice(0, 200)}. Commit it yourself.`,
    );
  }
}
