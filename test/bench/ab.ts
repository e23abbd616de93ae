/**
 * What does memory save an assistant? Five tasks on the sample workspace need something that was said in earlier sessions and
 * stands in no file. The assistant is a script: it looks at its notes, where it has any, then reads the files one by one, and
 * at last asks the person, who knows. Turns are calls of its model, tokens are what these would be sent in all. It measures
 * whether the notes hold what is needed and what they cost; that a real model reads them so is not measured.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openEngine, type MemoryEngine } from '../../src/engine/engine.js';
import { estimateTokens } from '../../src/engine/text/tokenEstimate.js';
import { recallTool } from '../../src/operations/recall.js';
import { defaultMcpTools } from '../../src/operations/registry.js';
import { rememberTool } from '../../src/operations/remember.js';
import { inputSchema, runTool } from '../../src/operations/tool.js';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { projectRoot } from './kit/options.js';
import { percent, type Figures, type Report } from './kit/report.js';

interface Task {
  readonly request: string;
  /** What the assistant searches its memory for. */
  readonly query: string;
  /** A word that the right change contains. */
  readonly needed: string;
  /** What the person says when asked. */
  readonly answer: string;
}

/** What was recorded: what the tasks need, what replaced something, and what none of them needs. */
const history: readonly string[] = [
  'The clearance under the keel is 0.6 metres in summer.',
  'From November on the harbour master wants a clearance of 0.9 metres under the keel.',
  'Tide tables come from the Norwegian mapping authority, kartverket.no, since the old provider closed.',
  'Times in the timetable are UTC, because the clock change put departures off by an hour last spring.',
  'The ferry is called Perpetua and draws 2.1 metres.',
  'We never round heights; the pilots want centimetres.',
  'The nightly import must not run before two in the morning, as the tables are not complete earlier.',
  'Pull requests are squashed.',
  'Solveig reviews everything below tools.',
  'The old service was written in Perl.',
  'Crews read departures on a phone with a cracked screen.',
  'The staging server is called lodbrok.',
];

const tasks: readonly Task[] = [
  {
    request: 'Add the clearance for the winter months to the timetable.',
    query: 'clearance under the keel in winter, from November',
    needed: '0.9 metres',
    answer: '0.9 metres from November on.',
  },
  {
    request: 'Point the import at the provider of tide tables that we use now.',
    query: 'provider of tide tables',
    needed: 'kartverket.no',
    answer: 'kartverket.no, the old one closed.',
  },
  {
    request: 'Write a test with our ferry, with its real draught.',
    query: 'name and draught of the ferry',
    needed: '2.1 metres',
    answer: 'Perpetua, she draws 2.1 metres.',
  },
  {
    request: 'Format the departures for the display, in the time zone that we agreed on.',
    query: 'time zone of the timetable',
    needed: 'UTC',
    answer: 'UTC.',
  },
  {
    request: 'Schedule the import of tide tables.',
    query: 'when may the nightly import of tide tables run',
    needed: 'two in the morning',
    answer: 'Not before two in the morning.',
  },
];

export async function run(): Promise<Report> {
  return inTemporaryFolder(async folder => {
    const host = { ...benchHost(path.join(folder, 'data'), () => new Date()), workspaceFolders: [folder] };
    const engine = await openEngine(host);
    try {
      const facts = history.map(content => ({ content, appliesTo: 'project' as const }));
      await runTool(rememberTool, engine, { facts }, { source: 'mcp' });
      const files = readFiles(path.join(projectRoot, 'test', 'fixtures', 'sample-workspace'));
      const [alone, helped] = [await totals(files, undefined), await totals(files, engine)];
      return {
        name: 'ab',
        n: tasks.length,
        figures: helped,
        baseline: alone,
        peers: { 'no memory': alone },
        notes: [
          'The assistant is a script, and nothing was sent to a model. Not measured: whether a model calls recall by itself, how it would search the files, and which answer is better. `recollect ab` has people judge that, with their own prompts.',
          `Turns and tokens are of all ${tasks.length} tasks; "asked" is the share in which the person had to be asked.`,
        ],
      };
    } finally {
      await engine.close();
    }
  });
}

async function totals(files: readonly string[], engine: MemoryEngine | undefined): Promise<Figures> {
  const runs: { readonly turns: number; readonly tokens: number; readonly isAsked: boolean }[] = [];
  for (const it of tasks) runs.push(await work(it, files, engine));
  const sum = (valueOf: (run: (typeof runs)[number]) => number): number => runs.reduce((a, it) => a + valueOf(it), 0);
  return {
    turns: sum(it => it.turns),
    tokens: sum(it => it.tokens),
    asked: percent(sum(it => (it.isAsked ? 1 : 0)) / runs.length),
  };
}

/** One task to its end. Each turn sends all that came before, as a conversation does. */
async function work(task: Task, files: readonly string[], engine: MemoryEngine | undefined) {
  const tools =
    engine === undefined ? '' : JSON.stringify(defaultMcpTools.map(it => [it.description, inputSchema(it)]));
  let conversation = `${tools}${task.request}`;
  let [turns, tokens] = [0, 0];
  const turn = (result: string): boolean => {
    turns++;
    tokens += estimateTokens(conversation);
    conversation += result;
    return result.includes(task.needed);
  };
  const finish = (isAsked: boolean) => {
    turn('');
    return { turns, tokens, isAsked };
  };
  if (engine !== undefined) {
    const { text } = await runTool(recallTool, engine, { query: task.query }, { source: 'mcp' });
    if (turn(text)) return finish(false);
  }
  for (const file of files) if (turn(file)) return finish(false);
  turn(task.answer);
  return finish(true);
}

function readFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(it => it.isFile())
    .map(it => readFileSync(path.join(it.parentPath, it.name), 'utf8'))
    .sort();
}
