import { seeded } from './random.js';

/** Words of developers, the most frequent first. Generated names follow as the rare words. */
const commonWords = (
  'test build service module cache user data error file request branch release config client server table query type ' +
  'token session index schema worker queue handler route log deploy pipeline container version migration endpoint ' +
  'response timeout retry payload header field column record batch job event stream buffer thread lock memory disk ' +
  'network proxy gateway cluster node region bucket key secret policy role account tenant invoice order cart price ' +
  'report chart dashboard widget form button layout theme icon font locale parser lexer compiler linter formatter ' +
  'bundle plugin extension hook callback promise observer store reducer selector fixture mock snapshot coverage ' +
  'benchmark profile metric alert trace span counter histogram scheduler cron backup restore replica shard partition'
).split(' ');
const syllables =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bre cla dri flo gra plu sta tri vor zen mar lin'.split(
    ' ',
  );
const vocabularySize = 30_000;

/** Templates of one clause each, so that the splitter cuts a text exactly between them. `#` is replaced by a word. */
const sentenceTemplates = [
  'The # # keeps its # in the # # of the # service.',
  'The # # fails with a # error when the # # is empty.',
  'The # team runs the # # every night before the # release.',
  'A # without a # breaks the # # in production.',
  'The # # of # reads its # from the # file.',
  'The default # # for # is the # #.',
  'The # # takes about # minutes on the # runner.',
  'Every # in the # # needs a # before # starts.',
  'The # # replaced the old # # in the # module.',
  'The # endpoint returns the # # as a # list.',
];
const questionTemplates = [
  'How does the # # use #?',
  '# # #',
  'Where is the # of the # # kept?',
  'why does # # fail',
  '# # in #',
];

export interface SyntheticTexts {
  /** Distinct texts. */
  readonly texts: readonly string[];
  /** Each query uses words of one text. */
  readonly queries: readonly string[];
}

/**
 * Generates texts and queries. Word number r is drawn with a probability of about 1/r (Zipf). A longer list begins with the
 * texts of a shorter one.
 */
export function generateTexts(count: number, queryCount: number): SyntheticTexts {
  const random = seeded(11);
  const vocabulary = generateVocabulary();
  const pick = <T>(list: readonly T[], draw: () => number): T => list[Math.floor(draw() * list.length)]!;
  // The inverse of the harmonic distribution function.
  const word = (draw: () => number): string => vocabulary[Math.floor(Math.exp(draw() * Math.log(vocabularySize)))]!;
  const texts = new Set<string>();
  while (texts.size < count) texts.add(pick(sentenceTemplates, random).replace(/#/g, () => word(random)));

  const all = [...texts];
  const draw = seeded(13);
  const queries = Array.from({ length: queryCount }, () => {
    const about = pick(all, draw).match(/\w{4,}/g)!;
    return pick(questionTemplates, draw).replace(/#/g, () => pick(about, draw));
  });
  return { texts: all, queries };
}

function generateVocabulary(): string[] {
  const random = seeded(17);
  const words = new Set(commonWords);
  const syllable = (): string => syllables[Math.floor(random() * syllables.length)]!;
  while (words.size <= vocabularySize) {
    const [first, second] = [syllable() + syllable() + syllable(), syllable() + syllable()];
    // Every fourth is an identifier of two words.
    words.add(words.size % 4 === 0 ? first + second.charAt(0).toUpperCase() + second.slice(1) : first);
  }
  return [...words];
}
