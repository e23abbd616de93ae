import { stat } from 'node:fs/promises';
import { describeFileError, isFileError, readRegularFile } from '../base/regularFile.js';
import type { SkippedFileReason } from '../model/codeIndex.js';
import { languageOf, type Language } from './languages.js';

/** In bytes. Larger files are data or generated. */
const maxSourceBytes = 512 * 1024;
/** Searched for a zero byte, which marks a binary file. */
const sniffBytes = 8_000;
/** In characters. Longer lines are minified or generated. */
const maxLineLength = 5_000;
const maxAverageLineLength = 300;
/** In characters. Searched for a generator's notice. */
const headerLength = 1_500;

const generatedNames =
  /(?:\.pb\.\w+|_pb2(?:_grpc)?\.pyi?|\.g\.(?:cs|dart)|\.freezed\.dart|\.designer\.cs|\.generated\.\w+)$/iu;
const minifiedNames = /[.-](?:min|bundle)\.[cm]?js$/iu;
const generatedPattern =
  /@generated\b|\bcode generated\b|\bdo not edit\b|\bautomatically generated\b|\bauto-?generated\b/iu;

export type SourceFileResult =
  | { readonly text: string; readonly language: Language }
  | { readonly leftOut: SkippedFileReason }
  /** Its problem, with its name. */
  | { readonly unreadable: string };

/** Reads a source file written by people; `leftOut` is why a file is skipped. */
export async function readSourceFile(file: string): Promise<SourceFileResult> {
  const language = languageOf(file.replaceAll('\\', '/'));
  if (language === undefined) return { leftOut: 'not code' };
  if (minifiedNames.test(file)) return { leftOut: 'minified' };
  if (generatedNames.test(file)) return { leftOut: 'generated' };
  let bytes: Buffer;
  try {
    // Larger files are data or generated, and passed over; unreadable ones are named.
    if ((await stat(file)).size > maxSourceBytes) return { leftOut: 'too large' };
    bytes = await readRegularFile(file, { maxBytes: maxSourceBytes });
  } catch (error) {
    if (!isFileError(error)) throw error;
    return { unreadable: describeFileError(file, error) };
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

/** Only comments mark a generated file; a generator has the notice in its strings. */
function extractCommentLines(text: string): string {
  return text
    .split('\n')
    .filter(it => /^\s*(?:\/\/|\/?\*|#|--|;|%|<!--|""")/u.test(it))
    .join('\n');
}
