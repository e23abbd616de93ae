// `npm test`, and `npm run test:STAGE [-- PART-OF-FILE-NAME] [--grep PART-OF-TITLE] [--web | --desktop]`.
import { exitOnSignal, readArguments } from './commandLine.mjs';
import { plainStages, processStages, testStages, windowStages } from './paths.mjs';
import { build, ensureDependencies } from './setup.mjs';

const started = Date.now();
const usage = 'npm test, or npm run test:STAGE [-- PART-OF-FILE-NAME] [--grep PART-OF-TITLE] [--web | --desktop]';
const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: { grep: { type: 'string' }, web: { type: 'boolean' }, desktop: { type: 'boolean' } },
});
const [stage, files] = positionals;

// Before anything is installed or built.
if (stage !== undefined && !testStages.includes(stage)) {
  console.error(`There is no stage ${stage}. There are: ${testStages.join(', ')}. Usage: ${usage}`);
  process.exit(2);
}
exitOnSignal();
await ensureDependencies();
// A dynamic import, because it needs packages.
const { prepareWindows, runBeside, runCheck, runTestStage, wasPrepared, writeCount } = await import('./testStages.mjs');
if (!wasPrepared()) await build('--tests');

/** @type {import('./testStages.mjs').Choice} */
const choice = {
  where: values.desktop === true ? 'desktop' : values.web === true ? 'web' : 'any',
  ...(files === undefined ? {} : { files }),
  ...(values.grep === undefined ? {} : { grep: values.grep }),
};
/** @type {import('./testStages.mjs').StageCount[]} */
const counts = [];
if (stage === undefined) {
  // Windows and processes wait for most of their time, so that they run beside what computes, in a lane that takes as long; all is
  // built before.
  const others = await runBeside([...windowStages, ...processStages], prepareWindows);
  counts.push(await runCheck('lint', 'lint'), await runCheck('types', 'types'));
  for (const name of plainStages) counts.push(await runTestStage(name, choice));
  counts.push(...(await others()));
} else {
  const count = await runTestStage(stage, choice);
  writeCount(count);
  counts.push(count);
}
report();

function report() {
  console.log('');
  for (const { name, failures } of counts) {
    // Once more and in brief, below all that the stages printed.
    for (const { title, message } of failures ?? []) {
      console.log(
        `  failed in ${name}: ${title}\n${message
          .split('\n')
          .slice(0, 12)
          .map(it => `    ${it}`)
          .join('\n')}\n`,
      );
    }
  }
  for (const { name, passed, failed, skipped, note } of counts) {
    const more = (skipped > 0 ? `, ${skipped} skipped` : '') + (note === undefined ? '' : ` (${note})`);
    console.log(`  ${name.padEnd(9)} ${passed} passed, ${failed} failed${more}`);
  }
  const passed = sum(counts.map(it => it.passed));
  const failed = sum(counts.map(it => it.failed));
  console.log(`  in ${Math.round((Date.now() - started) / 1000)} s\n`);
  console.log(`${passed} passed, ${failed} failed`);
  const wasLeftOut = counts.some(it => it.leftOut === true);
  process.exit(failed > 0 || (passed === 0 && !wasLeftOut) ? 1 : 0);
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, it) => total + it, 0);
}
