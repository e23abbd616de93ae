import { runHook, taskArgument } from './cli/hook.js';

/** Entry of `recollect …`. The exit code says how it went; see cli/main.ts. */
if (process.argv[2] === 'hook' && !process.argv.includes('--help')) {
  // An assistant waits for it: nothing is loaded that the answer does not need.
  void runHook(process.argv.slice(3));
} else if (process.send !== undefined && process.argv[2] === taskArgument) {
  void import('./cli/hookWork.js').then(({ serveTask }) => {
    serveTask();
  });
} else {
  void import('./cli/main.js')
    .then(({ runCli }) => runCli(process.argv))
    .then(code => {
      process.exitCode = code;
    });
}
