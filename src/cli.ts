import { runHook } from './cli/hook.js';

/** Entry of `recollect …`. The exit code says how it went; see cli/main.ts. */
if (process.argv[2] === 'hook' && !process.argv.includes('--help')) {
  // An assistant waits for it: nothing is loaded that the answer does not need.
  void runHook(process.argv.slice(3), {
    recallForPrompt: async (prompt, at) => (await import('./cli/recallForPrompt.js')).recallForPrompt(prompt, at),
    afterStop: async at => (await import('./cli/afterStop.js')).afterStop(at),
  });
} else {
  void import('./cli/main.js')
    .then(({ runCli }) => runCli(process.argv))
    .then(code => {
      process.exitCode = code;
    });
}
