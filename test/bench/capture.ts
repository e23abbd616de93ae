/**
 * Does capture keep the rules that a user states in a conversation, and skip the rest? MemoryCode: each session is a
 * transcript in which the mentor is the person and the mentee the assistant; captured by rule alone. An instruction of
 * the session is captured when one line holds its value and what it is about, so that it can be read alone. A line is
 * filler when it belongs to none of the session's instructions. The data calls conventions that are not about code
 * ("use PyCharm") filler instructions: a person's rule all the same, so such lines are counted apart.
 *
 * The rules were made looking at every second dialogue (`dev`); the others are the report. `--errors` lists misses and
 * filler of `dev`.
 */
import { extractFacts } from '../../src/engine/capture/extractFacts.js';
import { splitSentences } from '../../src/engine/text/sentenceSplitter.js';
import { isStopWord, analyzeText } from '../../src/engine/text/analyzer.js';
import { intervalOf, type Interval } from './kit/bootstrap.js';
import { readData, type BenchOptions, type OptionValues } from './kit/options.js';
import { percent, type Figures, type Report } from './kit/report.js';

interface Dialogue {
  readonly mentor: string;
  readonly sessions: readonly { readonly events: readonly Event[]; readonly text: string }[];
}

interface Event {
  readonly type: string;
  readonly topic: string;
}

/** Result of one session. */
interface Session {
  readonly topics: readonly { readonly topic: string; readonly isCaptured: boolean }[];
  readonly lines: readonly { readonly text: string; readonly is: 'instruction' | 'otherInstruction' | 'filler' }[];
}

type Method = (turn: string) => readonly string[];

const keys = ['captured', 'filler', 'fillerStrict'] as const;
const always: Method = turn => splitSentences(turn).filter(it => /\balways\b/iu.test(it));

export const extraOptions = { errors: 'flag' } as const;

export function run(options: BenchOptions & OptionValues<typeof extraOptions>): Promise<Report> {
  const dialogues = (readData('memorycode', options) as readonly Dialogue[]).slice(0, options.limit ?? Infinity);
  const dev = dialogues.filter((_, i) => i % 2 === 0);
  const heldOut = dialogues.filter((_, i) => i % 2 === 1);
  const ours = heldOut.map(it => capture(it, turn => extractFacts(turn).facts));
  const baseline = heldOut.map(it => capture(it, always));
  const devOurs = dev.map(it => capture(it, turn => extractFacts(turn).facts));
  if (options.errors === true) listErrors(devOurs.flat());
  const pairs = ours.map((it, i) => [it, baseline[i]!] as const);
  const intervals = Object.fromEntries(
    keys.map(key => {
      const gain = (sample: readonly (typeof pairs)[number][]): number =>
        figuresOf(sample.flatMap(it => it[0]))[key]! - figuresOf(sample.flatMap(it => it[1]))[key]!;
      const bounds: { figure: Interval; gain: Interval } = {
        figure: intervalOf(ours, it => figuresOf(it.flat())[key]!),
        gain: intervalOf(pairs, gain),
      };
      return [key, bounds];
    }),
  );
  const group = (
    dialogues: readonly Session[][],
    base: readonly Session[][],
  ): NonNullable<Report['groups']>[string] => ({
    n: dialogues.flat().length,
    figures: figuresOf(dialogues.flat()),
    baseline: figuresOf(base.flat()),
  });
  const count = (dialogues: readonly Session[][]): string => {
    const lines = dialogues.flat().reduce((sum, it) => sum + it.lines.length, 0);
    return `${lines} lines of ${dialogues.flat().length} sessions`;
  };
  return Promise.resolve({
    name: 'capture',
    n: ours.flat().length,
    figures: figuresOf(ours.flat()),
    baseline: figuresOf(baseline.flat()),
    intervals,
    groups: {
      dev: group(
        devOurs,
        dev.map(it => capture(it, always)),
      ),
      'kept apart': group(ours, baseline),
    },
    notes: [
      `Rules alone, dialogues kept apart: ${count(ours)}; the baseline keeps every sentence with "always": ${count(baseline)}.`,
      'captured: instruction topics of which one line holds every distinguishing word. filler: lines of none of the',
      "session's instructions; fillerStrict counts conventions that are not about code as filler as well.",
    ],
  });
}

function capture({ mentor, sessions }: Dialogue, method: Method): Session[] {
  return sessions.map(({ events, text }) => {
    const lines = personTurns(text, mentor).flatMap(it => method(it));
    const read = lines.map(it => ({ text: it, words: wordsOf(it) }));
    const of = (type: RegExp): readonly Topic[] => events.filter(it => type.test(it.type)).map(it => topicOf(it.topic));
    const instructions = of(/^instruction-/u);
    const others = of(/^filler-instruction-/u);
    return {
      topics: instructions.map(it => ({ topic: it.topic, isCaptured: read.some(line => share(it, line.words) === 1) })),
      lines: read.map(line => ({
        text: line.text,
        is: instructions.some(it => isAbout(it, line.words))
          ? 'instruction'
          : others.some(it => share(it, line.words) >= 0.3)
            ? 'otherInstruction'
            : 'filler',
      })),
    };
  });
}

/** Messages of the mentor. */
function personTurns(text: string, mentor: string): string[] {
  const turns = text.split(/\n(?=\p{Lu}[\p{L}'’ -]{0,30}: )/u);
  const name = `${mentor}: `;
  return turns.filter(it => it.trimStart().startsWith(name)).map(it => it.trim().slice(name.length));
}

interface Topic {
  readonly topic: string;
  /** The quoted value of the topic; a line without it is not about the topic. */
  readonly value: string | undefined;
  readonly words: ReadonlySet<string>;
}

/** Words of many topics, which do not distinguish them. */
const common = new Set(
  analyzeText(
    'always use include add start end even if not used from pedantic to all name names string with in for your module code single decorator the never take as main preferred write',
  ),
);

function topicOf(topic: string): Topic {
  const value = /'([^']+)'/u.exec(topic)?.[1]?.toLowerCase();
  const rest = topic.replaceAll(/'[^']*'/gu, ' ');
  const words = analyzeText(rest).filter(it => !common.has(it) && !isStopWord(it));
  return { topic, value, words: new Set(words) };
}

interface Words {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

const wordsOf = (line: string): Words => ({ text: line.toLowerCase(), words: new Set(analyzeText(line)) });

/** Share of the words of a topic that a line contains, 0-1. */
function share({ value, words }: Topic, line: Words): number {
  const found =
    [...words].filter(it => line.words.has(it)).length + (value !== undefined && holds(line, value) ? 1 : 0);
  return found / Math.max(1, words.size + (value === undefined ? 0 : 1));
}

function isAbout(topic: Topic, line: Words): boolean {
  return topic.value === undefined ? share(topic, line) >= 0.5 : holds(line, topic.value);
}

function holds({ text }: Words, value: string): boolean {
  const at = text.indexOf(value);
  const edge = (it: string | undefined): boolean => it === undefined || !/[\p{L}\p{N}]/u.test(it);
  return at >= 0 && edge(text[at - 1]) && edge(text[at + value.length]);
}

function figuresOf(sessions: readonly Session[]): Figures {
  const topics = sessions.flatMap(it => it.topics);
  const lines = sessions.flatMap(it => it.lines);
  const of = (is: string): number => lines.filter(it => it.is === is).length;
  const all = Math.max(1, lines.length);
  return {
    captured: percent(topics.filter(it => it.isCaptured).length / Math.max(1, topics.length)),
    filler: percent(of('filler') / all),
    fillerStrict: percent((of('filler') + of('otherInstruction')) / all),
  };
}

function listErrors(sessions: readonly Session[]): void {
  for (const { topics, lines } of sessions) {
    for (const it of topics.filter(its => !its.isCaptured)) console.log(`missed: ${it.topic}`);
    for (const it of lines.filter(its => its.is === 'filler')) console.log(`filler: ${it.text}`);
  }
}
