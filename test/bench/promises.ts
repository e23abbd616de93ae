/** Runs every test and every bench that a row of the table of promises in SECURITY.md names. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { readSecurityPromises } from '../support/securityPromises.js';
import { projectRoot } from './kit/options.js';
import type { Report } from './kit/report.js';

export function run(): Promise<Report> {
  const promises = readSecurityPromises();
  const proofs = [...new Set(promises.flatMap(it => it.proofs))];
  const failed = new Set(proofs.filter(it => !holds(it)));
  if (failed.size > 0) process.exitCode = 1;
  const broken = promises.filter(it => it.proofs.some(proof => failed.has(proof)));
  return Promise.resolve({
    name: 'promises',
    n: promises.length,
    figures: {
      promises: promises.length,
      proofs: proofs.length,
      proofsFailed: failed.size,
      promisesBroken: broken.length,
    },
    baseline: {},
    notes: broken.map(it => `not shown: ${it.promise} (${it.proofs.filter(proof => failed.has(proof)).join(', ')})`),
  });
}

/** Runs one proof, which prints what it does, and says whether it held. */
function holds(proof: string): boolean {
  console.log(`\n▸ ${proof}`);
  const bench = /^npm run bench -- (.+)/u.exec(proof)?.[1];
  return bench === undefined ? runTestFile(proof) : runBench(bench.split(' '));
}

function runTestFile(file: string): boolean {
  const [, stage, ...inStage] = file.replace(/\.ts$/u, '.js').split('/');
  const program = path.join(projectRoot, 'out', 'test', 'support', 'runInNode.js');
  const environment = { ...process.env, RECOLLECT_TEST_FILES: path.join(...inStage) };
  const args = ['--enable-source-maps', program, stage!];
  return spawnSync(process.execPath, args, { stdio: 'inherit', env: environment }).status === 0;
}

/** Benches of promises end with 1 where one does not hold. */
function runBench(args: readonly string[]): boolean {
  const program = path.join(projectRoot, 'out', 'test', 'bench', 'run.js');
  return spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' }).status === 0;
}
