/**
 * Tells in one pass over a text which of many patterns may match it. Of each pattern it is known which literals it
 * cannot do without: what contains "never", "avoid" or "stop" is worth trying for `\b(?:never|avoid) .{1,80}|^stop`,
 * and nothing else is. Most patterns have nothing to do with most texts, and trying each of them is what costs.
 */
export class KeywordPrefilter {
  /** Made at the first text: a program that only looks something up should not have to wait for it. */
  private made: Literals | undefined;

  /** @param needed of each pattern its `neededLiterals`, where that was worked out before */
  constructor(
    private readonly patterns: readonly RegExp[],
    private readonly needed?: readonly RequiredKeywords[],
  ) {}

  /** 1 for each pattern that may match; what has 0 matches neither the text nor a part of it. Linear, never throws. */
  mayMatch(text: string): Uint8Array {
    this.made ??= literalsOf(this.needed ?? this.patterns.map(requiredKeywords));
    const { always, columns, width, next, ends } = this.made;
    const may = always.slice();
    const folded = fold(text);
    for (let from = 0; from < folded.length; from++) {
      for (let at = from, node = 0; at < folded.length; at++) {
        const unit = folded.charCodeAt(at);
        node = unit < columns.length ? next[node * width + columns[unit]!]! : 0;
        if (node === 0) break;
        const ended = ends[node];
        if (ended !== undefined) for (const it of ended) may[it] = 1;
      }
    }
    return may;
  }
}

/** The needed literals of patterns, as a tree of their letters. Node 0 is its root, and stands for none in `next`. */
interface Literals {
  /** 1 for each pattern that may match anything. */
  readonly always: Uint8Array;
  /** By ASCII code: the letter's column in `next`; 0 for what is in no literal. */
  readonly columns: Uint8Array;
  readonly width: number;
  /** The node that a node's letter leads to, a row for each node. */
  readonly next: Uint16Array;
  /** By node: the patterns that have a literal which ends there. */
  readonly ends: readonly (readonly number[] | undefined)[];
}

function literalsOf(needed: readonly RequiredKeywords[]): Literals {
  const always = new Uint8Array(needed.length);
  const columns = new Uint8Array(asciiCodes);
  let width = 1;
  let letters = 0;
  for (const [i, literals] of needed.entries()) {
    if (literals === null) always[i] = 1;
    for (const literal of literals ?? []) {
      letters += literal.length;
      for (let at = 0; at < literal.length; at++)
        if (columns[literal.charCodeAt(at)] === 0) columns[literal.charCodeAt(at)] = width++;
    }
  }
  const next = new Uint16Array((letters + 1) * width);
  const ends: (number[] | undefined)[] = [undefined];
  for (const [i, literals] of needed.entries()) {
    for (const literal of literals ?? []) {
      let node = 0;
      for (let at = 0; at < literal.length; at++) {
        const edge = node * width + columns[literal.charCodeAt(at)]!;
        if (next[edge] === 0) next[edge] = ends.push(undefined) - 1;
        node = next[edge]!;
      }
      (ends[node] ??= []).push(i);
    }
  }
  return { always, columns, width, next, ends };
}

const asciiCodes = 128;

/** Every letter that a pattern may take for an ASCII letter, as that letter: `ſ` is an `s` in any case, `K` a `k`. */
function fold(text: string): string {
  return text.toLowerCase().replace(/ſ/g, 's');
}

/** More strings than this are no longer told one by one. */
const mostStrings = 48;
/** Longer literals tell hardly more, and take longer to look for. */
const longestLiteral = 12;
const oneOf = (text: string): string[] => Array.from(text);
const digits = oneOf('0123456789');

/** Strings in lower case of which every text that a pattern matches contains at least one; null where there are none. */
export type RequiredKeywords = readonly string[] | null;

/** Of a pattern. What it does not understand, it takes for something that matches anything. */
export function requiredKeywords(pattern: RegExp): RequiredKeywords {
  return needsOf(new Reader(pattern).read()) ?? null;
}

/** What a part of a pattern matches. */
interface Part {
  /** All the strings that it matches; undefined where they are many or unknown. */
  readonly exact: readonly string[] | undefined;
  /** Strings of which each match contains one; undefined where none are known. */
  readonly needs: readonly string[] | undefined;
}

const anything: Part = { exact: undefined, needs: undefined };
const nothing: Part = { exact: [''], needs: undefined };

function needsOf({ exact, needs }: Part): readonly string[] | undefined {
  return better(exact, needs);
}

/** Longer literals are hardly rarer. */
const longEnough = 6;
/** Signs that most texts have. */
const frequentSign = /^[ .,]$/;

/** The literals that tell more: a long one is rarer than a short one, then few are rarer than many. */
function better(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  const [a, b] = [worth(one), worth(other)];
  return Math.max(a, b) <= 0 ? undefined : a >= b ? one : other;
}

function worth(literals: readonly string[] | undefined): number {
  if (literals === undefined) return 0;
  const shortest = Math.min(...literals.map(it => it.length));
  if (shortest === 0) return 0;
  const rarity = literals.some(it => frequentSign.test(it)) ? shortest / 2 : Math.min(shortest, longEnough);
  return rarity - literals.length / 10_000;
}

function sequence(parts: readonly Part[]): Part {
  let run: readonly string[] = [''];
  let best: readonly string[] | undefined;
  let isExact = true;
  for (const part of parts) {
    const { exact } = part;
    const joined = exact === undefined ? undefined : product(run, exact);
    if (joined?.every(it => it.length <= longestLiteral) === true) {
      run = joined;
      continue;
    }
    isExact = false;
    // Of what is too long its beginning is looked for.
    const begun = joined?.map(it => it.slice(0, longestLiteral)) ?? run;
    best = better(better(best, [...new Set(begun)]), part.needs);
    run = exact ?? [''];
  }
  return { exact: isExact ? run : undefined, needs: better(best, run) };
}

/** All that are made of a head and a tail; undefined where they are too many. */
function product(heads: readonly string[], tails: readonly string[]): readonly string[] | undefined {
  if (heads.length * tails.length > mostStrings && heads.length > 1 && tails.length > 1) return undefined;
  return [...new Set(heads.flatMap(head => tails.map(tail => head + tail)))];
}

function alternatives(parts: readonly Part[]): Part {
  if (parts.length === 1) return parts[0]!;
  const exact = parts.every(it => it.exact !== undefined) ? parts.flatMap(it => it.exact!) : undefined;
  const needs = parts.map(needsOf);
  return {
    exact: exact !== undefined && exact.length <= 4 * mostStrings ? exact : undefined,
    needs: needs.every(it => it !== undefined) ? needs.flat() : undefined,
  };
}

function repeated(part: Part, least: number, most: number): Part {
  if (least === 1 && most === 1) return part;
  if (least === 0) {
    return most === 1 && part.exact !== undefined ? { exact: [...part.exact, ''], needs: undefined } : anything;
  }
  return { exact: undefined, needs: needsOf(part) };
}

/** As many as one literal has. */
const plainRun = new RegExp(`[a-z\\d ,:;'"@#%&~<>=_-]{1,${longestLiteral}}(?![*+?{])`, 'iy');

/** Reads the source of a pattern. */
class Reader {
  private at = 0;
  private readonly source: string;

  constructor(pattern: RegExp) {
    this.source = pattern.source;
  }

  read(): Part {
    const options: Part[] = [];
    let parts: Part[] = [];
    for (; this.at < this.source.length && this.source[this.at] !== ')';) {
      if (this.source[this.at] === '|') {
        this.at++;
        options.push(sequence(parts));
        parts = [];
      } else parts.push(this.letters() ?? this.quantified(this.one()));
    }
    return alternatives([...options, sequence(parts)]);
  }

  /** Some plain characters at once, none of which is repeated: most of a pattern is words. */
  private letters(): Part | undefined {
    plainRun.lastIndex = this.at;
    const run = plainRun.exec(this.source)?.[0];
    if (run === undefined) return undefined;
    this.at += run.length;
    return { exact: [run.toLowerCase()], needs: undefined };
  }

  private one(): Part {
    const character = this.source[this.at++]!;
    if (character === '(') return this.group();
    if (character === '[') return this.characterClass();
    if (character === '\\') return this.escape();
    if (character === '^' || character === '$') return nothing;
    return character === '.' ? anything : literal(character);
  }

  private group(): Part {
    const opening = /\?(?:[:=!]|<[=!]|<\w+>)/y;
    opening.lastIndex = this.at;
    const kind = opening.exec(this.source)?.[0] ?? '';
    this.at += kind.length;
    const inside = this.read();
    this.at++;
    // What a look-around sees need not be in the part that is matched, nor in the text at all.
    return /[=!]$/.test(kind) ? nothing : inside;
  }

  private escape(): Part {
    const found = /u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]*\}|k<\w+>|c[A-Z]|\d+|[^]/iy;
    found.lastIndex = this.at;
    const escaped = found.exec(this.source)![0];
    this.at += escaped.length;
    if (escaped === 'b' || escaped === 'B') return nothing;
    if (escaped === 'd') return { exact: digits, needs: undefined };
    return /^\W$/.test(escaped) ? literal(escaped) : anything;
  }

  private characterClass(): Part {
    const from = this.at;
    for (; this.source[this.at] !== ']'; this.at++) if (this.source[this.at] === '\\') this.at++;
    const inside = this.source.slice(from, this.at++);
    if (inside === '0-9' || inside === '\\d') return { exact: digits, needs: undefined };
    const plain = inside.replace(/\\([^\w])/g, '$1');
    // Only lists of single characters; ranges and other classes match too much to look for.
    const isList = !inside.startsWith('^') && !/\\\w/.test(inside) && !/[^\\]-./.test(inside.replace(/^-/, ''));
    return isList && plain.length > 0 ? alternatives(oneOf(plain).map(literal)) : anything;
  }

  private quantified(part: Part): Part {
    const quantifier = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y;
    quantifier.lastIndex = this.at;
    const found = quantifier.exec(this.source);
    if (found === null) return part;
    this.at += found[0].length;
    const [whole, least, comma, most] = found;
    if (least === undefined) return repeated(part, whole.startsWith('+') ? 1 : 0, whole.startsWith('?') ? 1 : Infinity);
    const upTo = most === '' ? (comma === '' ? Number(least) : Infinity) : Number(most);
    return repeated(part, Number(least), upTo);
  }
}

/** One character in any case; beyond ASCII, case is no matter of one letter for another. */
function literal(character: string): Part {
  const isPlain = /^[\0-\x7f]$/.test(character);
  return isPlain ? { exact: [character.toLowerCase()], needs: undefined } : anything;
}
