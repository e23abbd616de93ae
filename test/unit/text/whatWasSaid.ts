import { hasFact } from '../../../src/engine/text/factSplitter.js';
import { splitReportingPhrase } from '../../../src/engine/text/reportedSpeech.js';

/** What lays out a text and says nothing, at the start of a line: list marks, and the signs of a heading. */
const lineMark = /^(?:[-*+•‣▪–](?=\s)|\d{1,3}[.)](?=\s)|\(\d{1,3}\)(?=\s)|#{1,6}(?=\s))/u;
/** The mark of an item in a list that was typed on one line. */
const inlineMark = /^\(?\d{1,2}\)(?=\s)/u;
/** A line that only draws a line. */
const ruleLine = /^(?:[-=*_~][^\S\n]*){2,}(?=\n|$)/u;
/** What joined two facts. */
const joint = /^[,;](?=\s)|^:+(?=\s|$)|^#+\s*(?=\n|$)/u;
const conjunction = /^[,;]\s+(?:and|und|et|y)(?=\s)/iu;

/**
 * Whether facts, one after another, are what was said: the characters of the text in their order, nothing added but a
 * heading or label before what is under it, and nothing missing but white space, list marks and signs of headings, what
 * joined two facts, reporting phrases and small talk.
 */
export function isWhatWasSaid(written: string, stored: readonly string[]): boolean {
  const text = written.replace(/\r\n?/gu, '\n');
  // Signs alone go before the next fact, and its heading behind them.
  const facts = stored.flatMap(it => {
    const start = it.search(/[^\n]*[\p{L}\p{N}\p{Extended_Pictographic}]/u);
    return start > 0 ? [it.slice(0, start), it.slice(start)] : [it];
  });
  const said = facts.map(it => it.replace(/\s+/gu, ''));
  const prefixes = facts.map(prefixLengths);
  const failed = new Set<string>();

  /** @param fact index of the fact @param at of its next character, without white space; `isOpen` before its first one */
  const follows = (from: number, fact: number, at: number, isOpen: boolean): boolean => {
    let position = from;
    while (position < text.length && /\s/u.test(text[position]!)) position++;
    if (fact < said.length && at === said[fact]!.length) return follows(position, fact + 1, 0, true);
    const key = `${position} ${fact} ${at} ${isOpen}`;
    if (failed.has(key)) return false;
    const isDone = fact === said.length;
    if (isDone && position === text.length) return true;
    const found =
      (!isDone && !isOpen && text[position] === said[fact]![at] && follows(position + 1, fact, at + 1, false)) ||
      (!isDone &&
        isOpen &&
        prefixes[fact]!.some(
          length =>
            isKnown(text.slice(0, position), said[fact]!.slice(0, length)) && follows(position, fact, length, false),
        )) ||
      omissions(text, position, isDone ? '' : said[fact]!, isOpen || isDone).some(end =>
        follows(end, fact, at, isOpen),
      );
    if (!found) failed.add(key);
    return found;
  };
  return follows(0, 0, 0, true);
}

/** Lengths of what may be a heading before a fact, without white space; 0 where there is none. */
function prefixLengths(fact: string): number[] {
  return [0, ...Array.from(fact.matchAll(/:\s/gu), it => fact.slice(0, it.index + 1).replace(/\s+/gu, '').length)];
}

/** Whether each part of a heading was said before. */
function isKnown(before: string, prefix: string): boolean {
  if (prefix === '') return true;
  const said = before.replace(/\s+/gu, '');
  return (
    said.includes(prefix.slice(0, -1)) ||
    prefix
      .slice(0, -1)
      .split(':')
      .every(it => said.includes(it))
  );
}

/** Where the text goes on after something that may be missing at a position. */
function omissions(text: string, position: number, fact: string, isBetween: boolean): number[] {
  if (position === text.length) return [];
  const rest = text.slice(position);
  const isLineStart = /(?:^|\n)[^\S\n]*$/u.test(text.slice(0, position));
  const ends: number[] = [];
  const skip = (pattern: RegExp): void => {
    const length = pattern.exec(rest)?.[0].length ?? 0;
    if (length > 0) ends.push(position + length);
  };
  if (isLineStart) for (const it of [ruleLine, lineMark]) skip(it);
  if (isLineStart || /\s$/u.test(text.slice(0, position))) skip(inlineMark);
  if (isBetween) for (const it of [joint, conjunction]) skip(it);
  const flat = rest.replace(/\s+/gu, ' ');
  for (const it of [flat, `${/^[^:]*:+/u.exec(flat)?.[0] ?? ''} x`]) {
    const { phrase } = splitReportingPhrase(it);
    if (phrase === '') continue;
    const length = lengthOf(rest, phrase);
    ends.push(position + length, position + length + /^:*/u.exec(rest.slice(length))![0].length);
  }
  if (!/[\p{L}\p{N}]$/u.test(text.slice(0, position))) {
    for (let length = 1; length <= Math.min(rest.length, 60); length++)
      if (isFiller(rest.slice(0, length))) ends.push(position + length);
  }
  if (/(?:^|\n)\s*#[^\n]*$/u.test(text.slice(0, position))) skip(/^[#:\s]+(?=\n|$)/u);
  else skip(/^:+(?=\s*\n[-=]{3,})/u);
  const plain = fact.replace(/[:#]/gu, '');
  // A heading or a label, which goes before what is under it.
  for (const end of [rest.indexOf('\n'), rest.length, ...Array.from(rest.matchAll(/:(?=\s|$)/gu), it => it.index)]) {
    const heading = rest.slice(0, Math.max(0, end)).replace(/[\s#:]+/gu, '');
    if (heading !== '' && isBetween && plain.includes(heading)) ends.push(position + end);
  }
  return ends;
}

function isFiller(sentence: string): boolean {
  return (
    /^\P{L}*(?:a|i|k|u|y)\P{L}*$/iu.test(sentence) ||
    (/\p{L}{2}/u.test(sentence) && !hasFact(sentence.replaceAll('?', '')))
  );
}

/** Length of the start of a text that has the characters of a phrase. */
function lengthOf(text: string, phrase: string): number {
  const count = phrase.replace(/\s+/gu, '').length;
  let length = 0;
  for (let seen = 0; seen < count; length++) if (!/\s/u.test(text[length]!)) seen++;
  return length;
}
