/**
 * Entry point of `npm run train -- gates [--without WORLD] [--out FILE] WORLD…`: fits the weights by which cues and encoder decide
 * on a gate together (docs/encoder.md), on the memories of worlds and on the project's own statements. Prints how each world is
 * read by weights that were fitted on the others, then writes those that were fitted on all. `--without` leaves a world out of
 * everything.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readArguments } from '../../../scripts/commandLine.mjs';
import { fitGates } from './gateFit.js';
import { openShippedEncoder, readExamples, readWorldStatements, toGateWeights, unseenWorlds } from './gateExamples.js';
import { describeGates, measureGates } from './gateFigures.js';
import { labeledStatements } from './labeledStatements.js';

const shippedFile = 'media/models/gates.json';
/** Digits of a weight that are written. */
const precision = 1e4;

async function main(): Promise<void> {
  const { values, positionals } = readArguments('npm run train -- gates [--without WORLD] [--out FILE] WORLD…', {
    allowPositionals: true,
    options: { without: { type: 'string' }, out: { type: 'string' } },
  });
  const nameOf = (file: string): string => path.basename(file).replace(/\.json(?:\.gz)?$/u, '');
  const files = positionals.slice(1).filter(it => nameOf(it) !== values.without);
  const known: readonly string[] = unseenWorlds;
  const seen = files.map(nameOf).filter(it => /^a\d-\d$/u.test(it) && !known.includes(it));
  if (seen.length > 0) throw new Error(`The encoder was trained on ${seen.join(', ')}: name other worlds.`);
  if (files.length < 2) throw new Error('Name at least two worlds.');
  const encoder = await openShippedEncoder();
  try {
    const worlds = [];
    for (const it of files) worlds.push(await readExamples(encoder, readWorldStatements(it)));
    const { dev, heldOut } = labeledStatements();
    const [own, kept] = [await readExamples(encoder, dev), await readExamples(encoder, heldOut)];
    const model = encoder.model!.name;
    console.log(describeGates(measureGates(model, { worlds, own, kept })));
    const weights = fitGates([...worlds.flat(), ...own]).map(its =>
      its.map(it => Math.round(it * precision) / precision),
    );
    writeFileSync(values.out ?? shippedFile, `${JSON.stringify(toGateWeights(model, weights))}\n`);
  } finally {
    await encoder.close();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
