import { readFile, stat } from 'node:fs/promises';
import type { SkippedFileReason } from '../model/codeIndex.js';
import { languageOf, type Language } from './languages.js';

/** Larger files are data or made by a machine, whatever their name says. Bytes. */
const maxFileBytes = 512 * 1024;
/** Where a file is binary, the beginning shows it. Bytes. */
const sniffBytes = 8_000;
/** Nobody writes lines that long by hand. Characters. */
const maxLineLength = 5_000;
const maxAverageLineLength = 300;
/** Where generators say so. Characters. */
const headerLength = 1_500;

const generatedNames =
  /(?:\.pb\.\w+|_pb2(?:_grpc)?\.pyi?|\.g\.(?:cs|dart)|\.freezed\.dart|\.designer\.cs|\.generated\.\w+)$/iu;
const minifiedNames = /[.-](?:min|bundle)\.[cm]?js$/iu;
const generatedPattern =
  /@generated\b|\bcode generated\b|\bdo not edit\b|\bautomatically generated\b|\bauto-?generated\b/iu;

export type SourceFileResult =
  { readonly text: string; readonly language: Language } | { readonly leftOut: SkippedFileReason };

/** Reads a file that is written by people in a programming language; else says why not. */
export async function readSourceFile(file: string): Promise<SourceFileResult> {
  const language = languageOf(file.replaceAll('\\', '/'));
  if (language === undefined) return { leftOut: 'not code' };
  if (minifiedNames.test(file)) return { leftOut: 'minified' };
  if (generatedNames.test(file)) return { leftOut: 'generated' };
  let bytes: Buffer;
  try {
    if ((await stat(file)).size > maxFileBytes) return { leftOut: 'too large' };
    bytes = await readFile(file);
  } catch {
    return { leftOut: 'unreadable' };
  }
  if (bytes.subarray(0, sniffBytes).includes(0)) return { leftOut: 'binary' };
  const text = bytes.toString('utf8').replace(/^\uFEFF/u, '');
  const lines = text.split('\n');
  const longest = lines.reduce((most, it) => Math.max(most, it.length), 0);
  if (longest > maxLineLength || text.length > lines.length * maxAverageLineLength) return { leftOut: 'minified' };
  if (text.trim() === '') return { leftOut: 'not code' };
  if (generatedPattern.test(extractCommentLines(text.slice(0, headerLength)))) return { leftOut: 'generated' };
  return { text, language };
}

/** A program that makes files has the mark in its strings; one that was made has it in a comment. */
function extractCommentLines(text: string): string {
  return text
    .split('\n')
    .filter(it => /^\s*(?:\/\/|\/?\*|#|--|;|%|<!--|""")/u.test(it))
    .join('\n');
}
