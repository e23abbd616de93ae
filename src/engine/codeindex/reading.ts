import { readFile, stat } from 'node:fs/promises';
import type { LeftOutReason } from '../model/codeIndex.js';
import { languageOf, type Language } from './languages.js';

/** Larger files are data or made by a machine, whatever their name says. Bytes. */
const largestFile = 512 * 1024;
/** Where a file is binary, the beginning shows it. Bytes. */
const looked = 8_000;
/** Nobody writes lines that long by hand. Characters. */
const longestLine = 5_000;
const longLines = 300;
/** Where generators say so. Characters. */
const head = 1_500;

const generatedNames =
  /(?:\.pb\.\w+|_pb2(?:_grpc)?\.pyi?|\.g\.(?:cs|dart)|\.freezed\.dart|\.designer\.cs|\.generated\.\w+)$/iu;
const minifiedNames = /[.-](?:min|bundle)\.[cm]?js$/iu;
const generatedMarks =
  /@generated\b|\bcode generated\b|\bdo not edit\b|\bautomatically generated\b|\bauto-?generated\b/iu;

export type ReadFile = { readonly text: string; readonly language: Language } | { readonly leftOut: LeftOutReason };

/** Reads a file that is written by people in a programming language; else says why not. */
export async function readCode(file: string): Promise<ReadFile> {
  const language = languageOf(file.replaceAll('\\', '/'));
  if (language === undefined) return { leftOut: 'not code' };
  if (minifiedNames.test(file)) return { leftOut: 'minified' };
  if (generatedNames.test(file)) return { leftOut: 'generated' };
  let bytes: Buffer;
  try {
    if ((await stat(file)).size > largestFile) return { leftOut: 'too large' };
    bytes = await readFile(file);
  } catch {
    return { leftOut: 'unreadable' };
  }
  if (bytes.subarray(0, looked).includes(0)) return { leftOut: 'binary' };
  const text = bytes.toString('utf8').replace(/^\uFEFF/u, '');
  const lines = text.split('\n');
  const longest = lines.reduce((most, it) => Math.max(most, it.length), 0);
  if (longest > longestLine || text.length > lines.length * longLines) return { leftOut: 'minified' };
  if (text.trim() === '') return { leftOut: 'not code' };
  if (generatedMarks.test(commentsOf(text.slice(0, head)))) return { leftOut: 'generated' };
  return { text, language };
}

/** A program that makes files has the mark in its strings; one that was made has it in a comment. */
function commentsOf(text: string): string {
  return text
    .split('\n')
    .filter(it => /^\s*(?:\/\/|\/?\*|#|--|;|%|<!--|""")/u.test(it))
    .join('\n');
}
