/**
 * Entry point of `npm run train -- standing [--out FILE] WORLD…`: fits, for each model that ships, the weights by which a briefing
 * finds the notes that say how work is done (docs/encoder.md), on the memories of worlds and on which of them are such,
 * and on statements (test/fixtures/briefing/standingRules.json). Prints how each world is read by weights that were fitted on the
 * others, then writes those that were fitted on all.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readArguments } from '../../../scripts/commandLine.mjs';
import { toInt8Vector } from '../../../src/engine/base/int8Vector.js';
import { standingProbability, type StandingWeights } from '../../../src/engine/briefing/standingWeights.js';
import { readBuiltInModel } from '../../../src/engine/embeddings/modelFolder.js';
import { StaticModel } from '../../../src/engine/embeddings/staticModel.js';
import { openShippedEncoder } from './gateExamples.js';
import { readJson } from './options.js';
import { percent } from './report.js';

const shippedFile = 'media/models/standing.json';
const labelFile = 'test/fixtures/briefing/standingRules.json';
/** Digits of a weight that are written. */
const precision = 1e3;
const ridge = 1;
const steps = 300;
/** Probabilities at which the share of found rules is printed. */
const thresholds = [0.2, 0.25, 0.3, 0.4, 0.5];

interface Example {
  readonly vector: Float32Array;
  readonly isRule: boolean;
}

interface Labels {
  /** Ids of the memories of a world that are rules. */
  readonly rules: Readonly<Record<string, readonly string[]>>;
  /** Sentences of no world. */
  readonly statements: { readonly rules: readonly string[]; readonly others: readonly string[] };
}

interface Model {
  readonly name: string;
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>;
  readonly close: () => Promise<void>;
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments('npm run train -- standing [--out FILE] WORLD…', {
    allowPositionals: true,
    options: { out: { type: 'string' } },
  });
  const { rules, statements } = JSON.parse(readFileSync(labelFile, 'utf8')) as Labels;
  const files = positionals.slice(1);
  if (files.length < 2) throw new Error('Name at least two worlds.');
  const fitted: StandingWeights[] = [];
  for (const open of [openEncoder, openStatic]) {
    const model = await open();
    try {
      const worlds: (readonly Example[])[] = [];
      for (const it of files) worlds.push(await readWorld(it, rules, model));
      worlds.push(await readStatements(statements, model));
      console.log(describe(model.name, worlds));
      fitted.push(fit(model.name, worlds.flat()));
    } finally {
      await model.close();
    }
  }
  writeFileSync(values.out ?? shippedFile, `${JSON.stringify(fitted)}\n`);
}

async function openEncoder(): Promise<Model> {
  const encoder = await openShippedEncoder();
  return {
    name: encoder.model!.name,
    embed: texts => encoder.embed(texts, 'passage'),
    close: () => encoder.close(),
  };
}

async function openStatic(): Promise<Model> {
  const folder = path.resolve('dist/models/built-in');
  const { name } = await readBuiltInModel(folder);
  const model = StaticModel.open(folder);
  return { name, embed: texts => Promise.resolve(texts.map(it => model.embed(it))), close: () => Promise.resolve() };
}

async function readWorld(
  file: string,
  rules: Readonly<Record<string, readonly string[]>>,
  model: Model,
): Promise<readonly Example[]> {
  const name = path.basename(file).replace(/\.json(?:\.gz)?$/u, '');
  const ofWorld = rules[name];
  if (ofWorld === undefined) throw new Error(`${labelFile} does not say which memories of ${name} are rules.`);
  const { memories } = readJson(file) as {
    readonly memories: readonly { readonly id: string; readonly text: string }[];
  };
  const vectors = await model.embed(memories.map(it => it.text));
  return memories.map(({ id }, i) => ({ vector: vectors[i]!, isRule: ofWorld.includes(id) }));
}

async function readStatements({ rules, others }: Labels['statements'], model: Model): Promise<readonly Example[]> {
  const vectors = await model.embed([...rules, ...others]);
  return vectors.map((vector, i) => ({ vector, isRule: i < rules.length }));
}

/** A logistic regression with a ridge on all weights but the constant, by Nesterov's accelerated gradient descent. */
function fit(model: string, examples: readonly Example[]): StandingWeights {
  const size = examples[0]!.vector.length + 1;
  const rows = examples.map(({ vector, isRule }) => ({ x: Float64Array.of(...vector, 1), y: Number(isRule) }));
  // A vector and its constant have length 2 together, and a logistic function curves by a quarter at most.
  const rate = 1 / (examples.length / 2 + ridge);
  let weights = new Float64Array(size);
  let ahead = weights;
  for (let step = 0; step < steps; step++) {
    const gradient = ahead.map((it, i) => (i === size - 1 ? 0 : ridge * it));
    for (const { x, y } of rows) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += ahead[i]! * x[i]!;
      const error = 1 / (1 + Math.exp(-sum)) - y;
      for (let i = 0; i < size; i++) gradient[i]! += error * x[i]!;
    }
    const next = ahead.map((it, i) => it - rate * gradient[i]!);
    const momentum = step / (step + 3);
    ahead = next.map((it, i) => it + momentum * (it - weights[i]!));
    weights = next;
  }
  const rounded = Array.from(weights, it => Math.round(it * precision) / precision);
  return { model, weights: rounded.slice(0, -1), bias: rounded.at(-1)! };
}

/** How each world is read by weights that were fitted without it. */
function describe(model: string, worlds: readonly (readonly Example[])[]): string {
  const read = worlds.flatMap((its, left) => {
    const weights = fit(model, worlds.filter((_, i) => i !== left).flat());
    return its.map(it => ({ ...it, p: standingProbability(weights, toInt8Vector(it.vector))! }));
  });
  const rules = read.filter(it => it.isRule);
  const others = read.filter(it => !it.isRule);
  const ordered = rules.reduce((sum, { p }) => sum + others.filter(it => it.p < p).length, 0);
  const lines = thresholds.map(min => {
    const above = read.filter(it => it.p >= min);
    const found = above.filter(it => it.isRule).length;
    return `  from ${min}: ${percent(found / rules.length)} % of the rules, ${percent(found / above.length)} % of what is found is one`;
  });
  return [
    `${model}, n ${read.length}, rules ${rules.length}: a rule above another note in ${percent(ordered / (rules.length * others.length))} %`,
    ...lines,
  ].join('\n');
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
