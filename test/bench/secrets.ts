/**
 * Are secrets kept out, and ordinary texts kept? Labelled texts (a label, a kind, the text and the planted value as JSON,
 * separated by tabs) and those of the tests, given to `remember` of the MCP server. Caught: the planted value is in nothing
 * that was stored.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { textsLikeSecrets, textsWithSecret } from '../support/writtenSecrets.js';
import { BenchError, projectRoot, type BenchOptions } from './kit/options.js';
import { rememberOutcomes, throughServer, type CallTool } from './kit/rawClient.js';
import { share, type Report } from './kit/report.js';

export interface LabeledText {
  readonly isSecret: boolean;
  readonly kind: string;
  readonly text: string;
  readonly plantedValue: string;
}

export async function run({ data, limit }: BenchOptions): Promise<Report> {
  const file = data ?? path.join(projectRoot, '..', 'shared', 'cases', 'secrets.tsv');
  const texts = [...readTexts(file), ...(data === undefined ? ownTexts : [])].slice(0, limit);
  let wrong: readonly LabeledText[] = [];
  await throughServer(async call => {
    wrong = await misjudgedTexts(call, texts);
  });
  const secrets = texts.filter(it => it.isSecret);
  const ordinary = texts.filter(it => !it.isSecret);
  if (wrong.length > 0) process.exitCode = 1;
  return {
    name: 'secrets',
    n: texts.length,
    figures: {
      caught: share(secrets, it => !wrong.includes(it)),
      ordinaryRefused: share(ordinary, it => wrong.includes(it)),
    },
    baseline: {},
    notes: [
      `${secrets.length} secrets, ${ordinary.length} ordinary texts.`,
      ...wrong.map(it => `${it.isSecret ? 'missed ' : 'refused'} ${it.kind}: ${JSON.stringify(it.text.slice(0, 100))}`),
    ],
  };
}

/** Secrets of which something was stored, and ordinary texts that were refused. */
export async function misjudgedTexts(call: CallTool, texts: readonly LabeledText[]): Promise<readonly LabeledText[]> {
  const wrong = new Set<LabeledText>();
  for (const [index, labeled] of texts.entries()) {
    const outcomes = await rememberOutcomes(call, { content: labeled.text, scopeId: String(index) });
    const isWrong = outcomes.some(it =>
      labeled.isSecret
        ? it.outcome !== 'refused' && (it.content ?? labeled.text).includes(labeled.plantedValue)
        : it.outcome === 'refused',
    );
    if (isWrong) wrong.add(labeled);
  }
  return [...wrong];
}

/** Written for the tests. */
const ownTexts = [...textsWithSecret, ...textsLikeSecrets].map(({ kind, text, secret }): LabeledText => ({
  isSecret: secret !== undefined,
  kind,
  text,
  plantedValue: secret ?? '',
}));

function readTexts(file: string): LabeledText[] {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    throw new BenchError(`There is no file ${file}. Name an existing one with --data FILE.`, { cause: error });
  }
  return lines
    .filter(it => it.includes('\t') && !it.startsWith('label\t'))
    .map(line => {
      const [label, kind = '', text = '""', plantedValue = '""'] = line.split('\t');
      return {
        isSecret: label === 'secret',
        kind,
        text: JSON.parse(text) as string,
        plantedValue: JSON.parse(plantedValue) as string,
      };
    });
}
