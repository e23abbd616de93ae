import type { ImportedLine } from '../model/intake.js';
import type { Memory } from '../model/memory.js';

/**
 * Memories of an import, each with its file and heading.
 * @param memories all that the import made, in their order
 * @param source the name of the import, for a memory that names no file
 */
export function importedLines(memories: readonly Memory[], source: string): readonly ImportedLine[] {
  const parts = memories.map(it => splitHeading(it.content));
  const fileOf = (i: number): string => memories[i]?.provenance.file ?? source;
  // A beginning that stands alone may be the name of a thing; two in a row are a heading.
  const isHeading = (i: number): boolean =>
    parts[i]!.heading !== '' &&
    [i - 1, i + 1].some(n => parts[n]?.heading === parts[i]!.heading && fileOf(n) === fileOf(i));
  return memories.map((memory, i): ImportedLine => {
    const { heading, text, whole } = parts[i]!;
    return { memory, file: fileOf(i), ...(isHeading(i) ? { heading, text } : { heading: '', text: whole }) };
  });
}

/** The beginning of a rule that may be its heading. */
function splitHeading(content: string): { readonly heading: string; readonly text: string; readonly whole: string } {
  const whole = content.replace(/^For (?:`[^`]+`(?:, )?)+: /u, '');
  const [start, heading = ''] = /^([^:\n]{1,80}):\s/u.exec(whole) ?? [''];
  return { heading, text: whole.slice(start.length), whole };
}
