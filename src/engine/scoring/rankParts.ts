import { rankPartNames, type RankFactors, type RankPart, type RankPartName } from '../model/trace.js';

/** Which part a feature belongs to; the others are words. */
const partOfFeature: Readonly<Record<string, RankPartName>> = {
  queryText: 'meaning',
  alternativeText: 'meaning',
  queryTextToBest: 'meaning',
  bestMeaning: 'meaning',
  meanMeaning: 'meaning',
  meaningToBest: 'meaning',
  meaningToThird: 'meaning',
  queryQuestion: 'aids',
  alternativeQuestion: 'aids',
  queryAid: 'aids',
  alternativeAid: 'aids',
  age: 'age',
  date: 'age',
};

/**
 * A rank in parts that add up to it: each in proportion to what its features add to the log-odds, those that lower them
 * left out.
 */
export function rankParts({ shares = {}, rank }: RankFactors): readonly RankPart[] {
  const sums = new Map<RankPartName, number>(rankPartNames.map(it => [it, 0]));
  for (const [name, share] of Object.entries(shares)) {
    const part = partOfFeature[name] ?? 'words';
    sums.set(part, sums.get(part)! + share);
  }
  const raising = rankPartNames.map(name => ({ name, value: Math.max(0, sums.get(name)!) }));
  const total = raising.reduce((sum, it) => sum + it.value, 0);
  if (total === 0) return rankPartNames.map((name, i) => ({ name, value: i === 0 ? rank : 0 }));
  // The quotient first: of very small numbers the product is rounded away.
  return raising.map(({ name, value }) => ({ name, value: rank * (value / total) }));
}
