import { isMarked, mark } from './marks.js';
import { Token } from './token.js';
import { clockPhrases, frequencies, units } from './words.js';

/** Numbers, and what they become with the unit, the month or the time of day beside them. */

/** `unit` is written without a space between; a number without one is still to be joined by {@link joinMeasures}. */
export function numberToken(amount: string, unit: string | undefined): Token {
  const written = amount + (unit ?? '');
  if (amount.includes(':')) return new Token(written, amount, clockTerm(amount, unit ?? ''), 'clock');
  const value = canonical(amount);
  const number = new Token(written, value, value, 'number');
  if (unit === undefined) return number;
  if (unit === 'am' || unit === 'pm' || unit === 'Uhr') return number.as(clockTerm(value, unit), 'clock');
  return measured(number, unit.trim().toLowerCase()) ?? number;
}

/** 1e-3 and 0.0010 are one number; 1.10 is a version, and not 1.1. */
function canonical(amount: string): string {
  const bare = amount.replace(/^[vV]/u, '').replaceAll(',', '');
  return /^0\.\d+$|e/u.test(bare) ? String(Number(bare)) : bare;
}

/** Minutes since midnight as `h:mm`, so that 04:30, 4:30 and "4:30 am" are one. */
function clockTerm(time: string, half: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const hour = half === 'pm' && hours < 12 ? hours + 12 : half === 'am' && hours === 12 ? 0 : hours;
  return `${hour}:${String(minutes).padStart(2, '0')}`;
}

function measured(token: Token, unit: string): Token | undefined {
  const known = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (known === undefined) return undefined;
  const [measure, factor] = known;
  return token.as(String(Number(token.term) * factor), measure);
}

/** Joins numbers with what follows: `5 minutes`, `14 March`, `3 am`, `once per day`. Linear. */
export function joinMeasures(tokens: Token[]): Token[] {
  if (!tokens.some(it => isMarked(it, mark.counted))) return tokens;
  const found: Token[] = [];
  const isCadence = (): boolean => tokens.some(it => cadences.has(it.word));
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (!isMarked(token, mark.counted)) {
      found.push(token);
      continue;
    }
    const joined = joinedAt(tokens, i);
    if (joined !== undefined) {
      const kind = joined.token.kind === 'duration' && isCadence() ? 'frequency' : joined.token.kind;
      found.push(joined.token.as(joined.token.term, kind));
      i += joined.count - 1;
    } else if (token.kind === 'number' && isYear(token, tokens[i - 1])) {
      found.push(token.as(token.term, 'year'));
    } else if (token.kind === 'frequency') {
      found.push(token.as(String(frequencies[token.term] ?? token.term)));
    } else found.push(token);
  }
  return found;
}

/** "In 2024". */
function isYear({ term }: Token, before: Token | undefined): boolean {
  return before !== undefined && beforeYear.test(before.word) && /^(?:19|20)\d\d$/u.test(term);
}
const beforeYear = /^(?:in|since|until|till|during|year)$/u;

/** Where one of these is spoken of, a duration tells how often. */
const cadences = new Set('interval intervals frequency cadence frequently often'.split(' '));
const every = /^(?:every|each)$/u;
const perOne = /^(?:per|a|an|every|each)$/u;

const beforeSpan = /^(?:for|after|within|in|is|lasts?|of)$/u;

interface Joined {
  readonly token: Token;
  /** How many tokens it is made of. */
  readonly count: number;
}

function joinedAt(tokens: readonly Token[], at: number): Joined | undefined {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (next === undefined) return undefined;
  const both = (): Token => token.joinedTo(next);
  if (token.kind === 'month' && next.kind === 'number' && Number(next.term) <= 31)
    return { token: both().as(`${token.term} ${next.term}`, 'date'), count: 2 };
  if (every.test(token.word) && next.kind === undefined) {
    const unit = measured(both().as('1'), next.word);
    return unit?.kind === 'duration' ? { token: unit.as(unit.term, 'frequency'), count: 2 } : undefined;
  }
  if (/^an?$/u.test(token.word) && beforeSpan.test(tokens[at - 1]?.word ?? '')) {
    const unit = measured(both().as('1'), next.word);
    return unit?.kind === 'duration' ? { token: unit, count: 2 } : undefined;
  }
  if (token.kind === 'clock' || token.kind === 'number') {
    const half = next.word === 'am' || next.word === 'pm' ? next.word : clockPhrases[next.word];
    if (half !== undefined && Object.hasOwn({ am: 1, pm: 1, ...clockPhrases }, next.word))
      return { token: both().as(clockTerm(token.word, half), 'clock'), count: 2 };
  }
  if (token.kind !== 'number') return undefined;
  if (next.kind === 'month') return { token: both().as(`${next.term} ${token.term}`, 'date'), count: 2 };
  // "Once per day", "twice a week".
  if (token.word === 'once' && perOne.test(next.word)) {
    const unit = tokens[at + 2] === undefined ? undefined : measured(both().as('1'), tokens[at + 2]!.word);
    return unit?.kind === 'duration' ? { token: unit.as(unit.term, 'frequency'), count: 3 } : undefined;
  }
  const joined = measured(both(), next.word);
  if (joined === undefined) return undefined;
  const isEvery = joined.kind === 'duration' && every.test(tokens[at - 1]?.word ?? '');
  return { token: isEvery ? joined.as(joined.term, 'frequency') : joined, count: 2 };
}
