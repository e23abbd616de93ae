/**
 * How does Recollect's MCP server compare to the protocol's reference memory server, asked by the same client in the
 * same run? 10,000 facts: turns of LoCoMo, whose questions are asked, and made texts around them. `--limit` is the
 * number of questions.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openEngine } from '../../src/engine/engine.js';
import { estimateTokens } from '../../src/engine/text/tokenEstimate.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { generateTexts } from './kit/syntheticTexts.js';
import { mean, percentile } from './kit/metrics.js';
import type { BenchOptions } from './kit/options.js';
import { percent, type Figures, type Report } from './kit/report.js';
import { conversations } from './locomo.js';

const facts = 10_000;
const questionsByDefault = 200;
const remembered = 100;
/** Facts per call while a server is filled. */
const factsPerCall = 1_000;

interface Question {
  readonly query: string;
  /** Texts that answer the question; the answer is a hit if it contains at least one. */
  readonly relevant: readonly string[];
}

/** A memory server, and how an assistant keeps a fact in it and asks it. */
interface Server {
  /** The text of each answer. */
  remember(text: string): Promise<string>;
  recall(query: string): Promise<string>;
  close(): Promise<void>;
}

export async function run(options: BenchOptions): Promise<Report> {
  const corpora = conversations(options);
  const texts = corpora.flatMap(it => it.documents.map(document => document.text));
  const { texts: made } = generateTexts(facts + remembered - texts.length, 0);
  texts.push(...made);
  const known = texts.slice(0, facts);
  const questions = spread(
    corpora.flatMap(({ documents, questions: asked }) =>
      asked.map(({ query, relevant }): Question => {
        return { query, relevant: documents.filter(it => relevant.has(it.id)).map(it => it.text) };
      }),
    ),
    options.limit ?? questionsByDefault,
  );
  const words = new Words(known);

  return inTemporaryFolder(async folder => {
    const ours = await recollect(folder, known);
    const theirs = await reference(folder, known);
    const kept: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] };
    // By turns: whatever else this machine does then slows both.
    for (const text of texts.slice(facts)) {
      kept.ours.push(await timed(() => ours.remember(text)));
      kept.theirs.push(await timed(() => theirs.remember(text)));
    }
    const asked = {
      question: { ours: new Answers(), theirs: new Answers() },
      word: { ours: new Answers(), theirs: new Answers() },
    };
    for (const question of questions) {
      const word = words.rarest(question.query);
      for (const [how, query] of [
        ['question', question.query],
        ['word', word],
      ] as const) {
        await asked[how].ours.add(question, () => ours.recall(query));
        await asked[how].theirs.add(question, () => theirs.recall(query));
      }
    }
    await Promise.all([ours.close(), theirs.close()]);

    const figures = { ...times('remember', kept.ours), ...asked.question.ours.figures() };
    const byWord = { ...times('remember', kept.theirs), ...asked.word.theirs.figures() };
    return {
      name: 'reference',
      n: questions.length,
      figures,
      baseline: byWord,
      peers: {
        'recollect, by a word': asked.word.ours.figures(),
        'reference, by a word': byWord,
        'reference, by the question': asked.question.theirs.figures(),
        'ratio to reference by a word': ratios(figures, byWord),
      },
      notes: [
        `${facts} facts, of which ${texts.length - made.length} are turns of conversations; ${remembered} more remembered by turns; times in milliseconds as the client sees them.`,
        'The reference server finds nodes that hold the query as it stands: it is asked for the rarest word of the question that any fact has, and, beside it, for the question. Each fact is an entity of its own there, so that a hit brings no other facts along.',
        'hit: an answer holds a turn that is evidence. tokens: estimated from the text of the answer, the same for both; tokensPerHit: all tokens by all hits.',
      ],
    };
  });
}

/** `recollect mcp`; filled through the engine. */
async function recollect(folder: string, texts: readonly string[]): Promise<Server> {
  const dataDir = path.join(folder, 'recollect');
  const project = path.join(folder, 'project');
  mkdirSync(project);
  const engine = await openEngine({ ...benchHost(dataDir, () => new Date()), workspaceFolders: [project] });
  for (let at = 0; at < texts.length; at += factsPerCall) {
    const some = texts.slice(at, at + factsPerCall);
    await engine.rememberAll(some.map(content => ({ content, source: 'mcp', whole: true, store: 'project' })));
  }
  await engine.close();
  const server = await connect([path.resolve('dist', 'cli.js'), 'mcp', '--no-ask'], project, {
    RECOLLECT_HOME: dataDir,
    HOME: folder,
  });
  return {
    remember: content => server.call('remember', { content }),
    recall: query => server.call('recall', { query: query.slice(0, 1_000) }),
    close: server.close,
  };
}

/** The reference server; an entity per fact. */
async function reference(folder: string, texts: readonly string[]): Promise<Server> {
  // A program: it names no entry for those that import it.
  const file = path.resolve('node_modules', '@modelcontextprotocol', 'server-memory', 'dist', 'index.js');
  const server = await connect([file], folder, { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') });
  let made = 0;
  const entity = (text: string): object => ({ name: `fact-${made++}`, entityType: 'fact', observations: [text] });
  for (let at = 0; at < texts.length; at += factsPerCall)
    await server.call('create_entities', { entities: texts.slice(at, at + factsPerCall).map(entity) });
  return {
    remember: text => server.call('create_entities', { entities: [entity(text)] }),
    recall: query => server.call('search_nodes', { query }),
    close: server.close,
  };
}

async function connect(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args],
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(transport);
  return {
    /** The text of the answer. */
    call: async (name: string, input: Record<string, unknown>): Promise<string> => {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const text = content.map(it => (it.type === 'text' ? it.text : '')).join('');
      if (isError === true) throw new Error(text);
      return text;
    },
    close: () => client.close(),
  };
}

/** Results of all questions for one way of asking. */
class Answers {
  private readonly ms: number[] = [];
  private readonly tokens: number[] = [];
  private hits = 0;

  async add({ relevant }: Question, ask: () => Promise<string>): Promise<void> {
    let text = '';
    this.ms.push(await timed(async () => (text = await ask())));
    this.tokens.push(estimateTokens(text));
    const plain = plainOf(text);
    if (relevant.some(it => plain.includes(plainOf(it)))) this.hits++;
  }

  figures(): Figures {
    return {
      ...times('recall', this.ms),
      tokens: mean(this.tokens),
      'tokens p95': percentile(this.tokens, 0.95),
      hit: percent(this.hits / this.ms.length),
      ...(this.hits === 0 ? {} : { tokensPerHit: (mean(this.tokens) * this.ms.length) / this.hits }),
    };
  }
}

/** How often each word occurs. */
class Words {
  private readonly counts = new Map<string, number>();

  constructor(texts: readonly string[]) {
    for (const text of texts)
      for (const it of new Set(wordsOf(text))) this.counts.set(it, (this.counts.get(it) ?? 0) + 1);
  }

  /** The rarest word of a question; the question itself when no fact contains any of its words. */
  rarest(question: string): string {
    const known = wordsOf(question).filter(it => this.counts.has(it));
    return (
      known.reduce((best, it) => (this.counts.get(it)! < (this.counts.get(best) ?? Infinity) ? it : best), '') ||
      question
    );
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\d']{3,}/gu) ?? [];
/** Letters and digits only, because JSON and our envelope escape differently. */
const plainOf = (text: string): string => text.replaceAll(/\\[nrt]|\\u[\da-f]{4}|[^\p{L}\d]/giu, '');

const times = (name: string, ms: readonly number[]): Figures => ({
  [`${name} p50@${facts}`]: percentile(ms, 0.5),
  [`${name} p95@${facts}`]: percentile(ms, 0.95),
});

function ratios(ours: Figures, theirs: Figures): Figures {
  return Object.fromEntries(Object.entries(ours).map(([key, it]) => [key, it / theirs[key]!]));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** So many of a list, evenly over it. */
function spread<T>(list: readonly T[], count: number): T[] {
  return list.filter((_, i) => Math.floor((i * count) / list.length) !== Math.floor(((i - 1) * count) / list.length));
}
