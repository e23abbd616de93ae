import { readTextFile } from '../../base/atomicFile.js';
import { parseJsonObject } from '../../base/json.js';
import type { ImportRefusal } from '../../model/importReport.js';
import type { ImportFile, ImportItem } from './importFiles.js';
import { readMarkdownRules } from './markdownRules.js';

/**
 * Reads a file of Copilot's memory tool, Markdown or one JSON object. Files below `repo` are the project's, files at the
 * top are the person's, and other folders belong to a single chat.
 */
export async function* readCopilotItems({ file, name }: ImportFile): AsyncGenerator<ImportItem | ImportRefusal> {
  const parts = name.split('/');
  const pathBelowMemories = parts.slice(parts.lastIndexOf('memories') + 1);
  const isInFolder = pathBelowMemories.length > 1;
  if (isInFolder && pathBelowMemories[0] !== 'repo') {
    yield { where: name, reason: 'It belongs to one chat alone.' };
    return;
  }
  const { text = '' } = await readTextFile(file, { followLinks: false });
  const origin = { where: name, ...(isInFolder ? { store: 'project' as const } : {}) };
  if (!name.endsWith('.json')) {
    for (const it of readMarkdownRules(text))
      yield 'reason' in it ? it : { content: it.content, ...origin, where: `line ${it.line}` };
    return;
  }
  const entry = parseJsonObject(text);
  if (typeof entry?.fact !== 'string' || entry.fact.trim() === '') {
    yield { where: name, reason: 'It holds no fact.' };
    return;
  }
  const subject = typeof entry.subject === 'string' ? entry.subject.trim().slice(0, 64) : '';
  yield { content: entry.fact, ...origin, ...(subject === '' ? {} : { tags: [subject] }) };
}
