import { hasFlag, flag } from './lexicalFlags.js';
import { Token } from './token.js';
import { measurementUnits } from './lexicon/quantities.js';
import { clockPhrases, frequencySeconds } from './lexicon/temporal.js';

/** The token of a number and its attached unit; {@link mergeQuantities} joins a number with the words that follow. */
export function parseNumberToken(amount: string, unit: string | undefined): Token {
  const written = amount + (unit ?? '');
  if (amount.includes(':')) return new Token(written, amount, toClockTerm(amount, unit ?? ''), 'clock');
  const value = canonicalNumber(amount);
  const number = new Token(written, value, value, 'number');
  if (unit === undefined) return number;
  if (unit === 'am' || unit === 'pm' || unit === 'Uhr') return number.withTerm(toClockTerm(value, unit), 'clock');
  return toQuantity(number, unit.trim().toLowerCase()) ?? number;
}

/** A number in canonical form: 1e-3 equals 0.0010, but 1.10 is a version and not 1.1. */
function canonicalNumber(amount: string): string {
  const digits = amount.replace(/^[vV]/u, '').replaceAll(',', '');
  return /^0\.\d+$|e/u.test(digits) ? String(Number(digits)) : digits;
}

/** A time of day as `h:mm` of 24 hours, equal for 04:30, 4:30 and "4:30 am". */
function toClockTerm(time: string, dayPeriod: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const hour = dayPeriod === 'pm' && hours < 12 ? hours + 12 : dayPeriod === 'am' && hours === 12 ? 0 : hours;
  return `${hour}:${String(minutes).padStart(2, '0')}`;
}

function toQuantity(token: Token, unit: string): Token | undefined {
  const measureAndFactor = Object.hasOwn(measurementUnits, unit) ? measurementUnits[unit] : undefined;
  if (measureAndFactor === undefined) return undefined;
  const [measure, factor] = measureAndFactor;
  return token.withTerm(String(Number(token.term) * factor), measure);
}

/** Joins numbers with the words that follow: `5 minutes`, `14 March`, `3 am`, `once per day`. Linear. */
export function mergeQuantities(tokens: Token[]): Token[] {
  if (!tokens.some(it => hasFlag(it, flag.quantity))) return tokens;
  const merged: Token[] = [];
  const mentionsCadence = (): boolean => tokens.some(it => cadences.has(it.word));
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (!hasFlag(token, flag.quantity)) {
      merged.push(token);
      continue;
    }
    const match = quantityAt(tokens, i);
    if (match !== undefined) {
      const valueClass =
        match.token.valueClass === 'duration' && mentionsCadence() ? 'frequency' : match.token.valueClass;
      merged.push(match.token.withTerm(match.token.term, valueClass));
      i += match.tokenCount - 1;
    } else if (token.valueClass === 'number' && isYear(token, tokens[i - 1])) {
      merged.push(token.withTerm(token.term, 'year'));
    } else if (token.valueClass === 'frequency') {
      merged.push(token.withTerm(String(frequencySeconds[token.term] ?? token.term)));
    } else merged.push(token);
  }
  return merged;
}

/** Whether a number is a year, as in "in 2024". */
function isYear({ term }: Token, previous: Token | undefined): boolean {
  return previous !== undefined && yearPrepositionPattern.test(previous.word) && /^(?:19|20)\d\d$/u.test(term);
}
const yearPrepositionPattern = /^(?:in|since|until|till|during|year)$/u;

/** In a sentence with one of these words, a duration is a frequency. */
const cadences = new Set('interval intervals frequency cadence frequently often'.split(' '));
const everyPattern = /^(?:every|each)$/u;
const perUnitPattern = /^(?:per|a|an|every|each)$/u;

const durationPrepositionPattern = /^(?:for|after|within|in|is|lasts?|of)$/u;

const fortnight = String(frequencySeconds.fortnightly);

interface QuantityMatch {
  readonly token: Token;
  /** Number of joined tokens. */
  readonly tokenCount: number;
}

function quantityAt(tokens: readonly Token[], position: number): QuantityMatch | undefined {
  const token = tokens[position]!;
  const next = tokens[position + 1];
  if (next === undefined) return undefined;
  const mergedToken = (): Token => token.mergedWith(next);
  if (token.valueClass === 'month' && next.valueClass === 'number' && Number(next.term) <= 31)
    return { token: mergedToken().withTerm(`${token.term} ${next.term}`, 'date'), tokenCount: 2 };
  // "Every second Thursday", "every other week".
  const repeated = tokens[position + 2];
  if (everyPattern.test(token.word) && /^(?:second|other)$/u.test(next.word) && repeated !== undefined) {
    if (repeated.valueClass === 'weekday')
      return { token: mergedToken().withTerm(fortnight, 'frequency'), tokenCount: 2 };
    const unit = toQuantity(mergedToken().withTerm('2'), repeated.word);
    return unit?.valueClass === 'duration'
      ? { token: unit.withTerm(unit.term, 'frequency'), tokenCount: 3 }
      : undefined;
  }
  if (everyPattern.test(token.word) && next.valueClass === undefined) {
    const unit = toQuantity(mergedToken().withTerm('1'), next.word);
    return unit?.valueClass === 'duration'
      ? { token: unit.withTerm(unit.term, 'frequency'), tokenCount: 2 }
      : undefined;
  }
  if (/^an?$/u.test(token.word) && durationPrepositionPattern.test(tokens[position - 1]?.word ?? '')) {
    const unit = toQuantity(mergedToken().withTerm('1'), next.word);
    return unit?.valueClass === 'duration' ? { token: unit, tokenCount: 2 } : undefined;
  }
  if (token.valueClass === 'clock' || token.valueClass === 'number') {
    const dayPeriod = next.word === 'am' || next.word === 'pm' ? next.word : clockPhrases[next.word];
    if (dayPeriod !== undefined && Object.hasOwn({ am: 1, pm: 1, ...clockPhrases }, next.word))
      return { token: mergedToken().withTerm(toClockTerm(token.word, dayPeriod), 'clock'), tokenCount: 2 };
  }
  if (token.valueClass !== 'number') return undefined;
  if (next.valueClass === 'month')
    return { token: mergedToken().withTerm(`${next.term} ${token.term}`, 'date'), tokenCount: 2 };
  // "Once per day", "twice a week".
  if (token.word === 'once' && perUnitPattern.test(next.word)) {
    const unit =
      tokens[position + 2] === undefined
        ? undefined
        : toQuantity(mergedToken().withTerm('1'), tokens[position + 2]!.word);
    return unit?.valueClass === 'duration'
      ? { token: unit.withTerm(unit.term, 'frequency'), tokenCount: 3 }
      : undefined;
  }
  const quantity = toQuantity(mergedToken(), next.word);
  if (quantity === undefined) return undefined;
  const isFrequency = quantity.valueClass === 'duration' && everyPattern.test(tokens[position - 1]?.word ?? '');
  return { token: isFrequency ? quantity.withTerm(quantity.term, 'frequency') : quantity, tokenCount: 2 };
}
