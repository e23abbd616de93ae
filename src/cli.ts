import { runCli } from './cli/main.js';

/** Entry of `recollect …`. The exit code says how it went; see cli/main.ts. */
void runCli(process.argv).then(code => {
  process.exitCode = code;
});
