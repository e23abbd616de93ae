/**
 * What does the encoder know, and how long does it take? Gates: cues, its head and both, each world read by weights that were fitted
 * without it. Relation: pairs of texts, as the head alone sees them. Near: of the related memories that `remember` shows, those that
 * a model had linked, against the likeness alone. `--data FOLDER` names another folder of worlds.
 */
import path from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import type { EncoderEmbedder } from '../../src/engine/embeddings/encoderEmbedder.js';
import { defaultConfig, type Config } from '../../src/engine/model/config.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { openShippedEncoder, readExamples, readWorldStatements, unseenWorlds } from './kit/gateExamples.js';
import { describeGates, measureGates } from './kit/gateFigures.js';
import { labeledStatements } from './kit/labeledStatements.js';
import { projectRoot, readJson, type BenchOptions } from './kit/options.js';
import { percent, type Figures, type Report } from './kit/report.js';

/** The probability from which `remember` shows a memory. */
const minTouch = 0.85;

interface World {
  readonly memories: readonly {
    readonly id: string;
    readonly text: string;
    readonly model: {
      readonly replaces: readonly string[];
      readonly refines?: readonly string[];
      readonly sameAs?: readonly string[];
    };
  }[];
  readonly pairs?: readonly { readonly relation: string; readonly older: string; readonly newer: string }[];
}

export async function run({ data }: BenchOptions): Promise<Report> {
  process.env.RECOLLECT_ENCODER_WAIT = 'forever';
  const folder = data ?? path.join(projectRoot, '..', 'shared', 'bench', 'worlds');
  const files = unseenWorlds.map(it => path.join(folder, `${it}.json.gz`));
  const worlds = files.map(it => readJson(it) as World);
  const encoder = await openShippedEncoder();
  try {
    const { dev, heldOut } = labeledStatements();
    const ofWorlds = [];
    for (const it of files) ofWorlds.push(await readExamples(encoder, readWorldStatements(it)));
    const [own, kept] = [await readExamples(encoder, dev), await readExamples(encoder, heldOut)];
    const gates = measureGates(encoder.model!.name, { worlds: ofWorlds, own, kept });
    const near = await measureNear(worlds, defaultConfig);
    const nearByLikeness = await measureNear(worlds, { ...defaultConfig, embeddings: 'static' });
    return {
      name: 'encoder',
      n: gates.worlds.n,
      figures: { gatesOfWorlds: gates.worlds.both, gatesOfStatements: gates.kept.both, ...near },
      baseline: { gatesOfWorlds: gates.worlds.cues, gatesOfStatements: gates.kept.cues, ...nearByLikeness },
      notes: [describeGates(gates), ...(await relationNotes(encoder, worlds)), await timingNote(encoder, worlds)],
    };
  } finally {
    await encoder.close();
  }
}

async function measureNear(worlds: readonly World[], config: Config): Promise<Figures> {
  let [shown, useful, replaced, replacedShown] = [0, 0, 0, 0];
  for (const { memories } of worlds) {
    await inTemporaryFolder(async dataDir => {
      const engine = await openEngine(benchHost(dataDir, () => new Date(), config));
      const idOf = new Map<string, string>();
      for (const { id, text, model } of memories) {
        const [outcome] = await engine.remember({ content: text, source: 'mcp', whole: true });
        if (outcome === undefined || outcome.outcome === 'refused') continue;
        const related = outcome.outcome === 'stored' ? (outcome.related ?? []) : [];
        const near = related.map(it => idOf.get(it.id));
        const linked = new Set([...model.replaces, ...(model.refines ?? []), ...(model.sameAs ?? [])]);
        shown += near.length;
        useful += near.filter(it => it !== undefined && linked.has(it)).length;
        replaced += model.replaces.length;
        replacedShown += model.replaces.filter(it => near.includes(it)).length;
        idOf.set(outcome.id, id);
      }
      await engine.close();
    });
  }
  return { useful: percent(useful / shown), replacedShown: percent(replacedShown / replaced) };
}

/** How many pairs of each relation the head would light up. */
async function relationNotes(encoder: EncoderEmbedder, worlds: readonly World[]): Promise<string[]> {
  const pairs = worlds.flatMap(it => it.pairs ?? []);
  const relations = await encoder.relate!(
    pairs.map(it => [it.older, it.newer] as const),
    'backlog',
  );
  const touches = relations.map(it => it.same + it.refines + it.replaces + it.contradicts >= minTouch);
  return [...new Set(pairs.map(it => it.relation))].sort().map(relation => {
    const its = touches.filter((_, i) => pairs[i]!.relation === relation);
    return `Pairs that are ${relation} (${its.length}): ${percent(its.filter(Boolean).length / its.length)} % touch.`;
  });
}

/** Milliseconds of one text and of eight pairs, one call after the other. */
async function timingNote(encoder: EncoderEmbedder, worlds: readonly World[]): Promise<string> {
  const texts = worlds.flatMap(it => it.memories.map(memory => memory.text)).slice(0, 200);
  const median = async (work: (text: string) => Promise<unknown>): Promise<string> => {
    const times: number[] = [];
    for (const it of texts) {
      const started = performance.now();
      await work(it);
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[times.length >> 1]!.toFixed(1);
  };
  const plain = await median(it => encoder.embed([it], 'passage'));
  const withGates = await median(it => encoder.read!([it], 'passage'));
  const pairs = await median(it =>
    encoder.relate!(
      texts.slice(0, 8).map(older => [older, it] as const),
      'passage',
    ),
  );
  return `Median ms: a text ${plain}, with its gate ${withGates}, eight pairs ${pairs}.`;
}
