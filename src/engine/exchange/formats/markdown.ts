import { readTextFile } from '../../base/atomicFile.js';
import { removeSection } from '../../base/markedSection.js';
import type { ImportRefusal } from '../../model/importReport.js';
import { splitFacts } from '../../text/factSplitter.js';
import type { ImportFile, ImportItem } from './importFiles.js';

/**
 * Reads the list items of an instructions file (CLAUDE.md, AGENTS.md) with their headings, without the section that
 * Recollect published into it.
 */
export async function* readMarkdownItems(
  { file, name }: ImportFile,
  isInProject: boolean,
): AsyncGenerator<ImportItem | ImportRefusal> {
  const text = removeSection((await readTextFile(file)).text ?? '', file);
  const prose = stripCode(text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/u, ''));
  for (const content of splitFacts(extractLists(prose))) {
    yield { content, where: name, ...(isInProject ? { store: 'project' } : {}) };
  }
}

/** Removes fenced code and HTML comments, and normalizes line ends to LF. */
export function stripCode(text: string): string {
  return text
    .replace(/^\uFEFF/u, '')
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^[ \t]*\1[`~]*[ \t]*$|[\s\S]*$)/gmu, '')
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/gu, '');
}

/** Keeps headings, list items and the lines that continue an item. */
function extractLists(text: string): string {
  let isInItem = false;
  const kept = text.split('\n').filter(line => {
    if (/^\s*(?:[-*+]|\d{1,3}[.)])\s+\S/u.test(line)) return (isInItem = true);
    if (isInItem && /^\s+\S/u.test(line)) return true;
    isInItem = false;
    return /^\s{0,3}#{1,6}\s/u.test(line) || line.trim() === '';
  });
  const headingsWithoutList = /^#{1,6}\s[^\n]*\n\s*(?=#{1,6}\s|$(?![\s\S]))/gmu;
  return kept.join('\n').replaceAll(headingsWithoutList, '');
}
