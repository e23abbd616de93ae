import { asJsonObject, parseJsonObject, type JsonObject } from '../../base/json.js';
import type { ImportRefusal } from '../../model/importReport.js';
import type { Gate } from '../../model/memory.js';
import { readTextLines, type ImportFile, type ImportItem } from './importFiles.js';

/** A graph larger than this is no file of the server. In UTF-16 units. */
const maxObjectLength = 64 * 1024 * 1024;

/**
 * Reads the graph of the MCP reference memory server: entities with observations, and relations. As the server's file has
 * it, one JSON object a line; several on one line; or as its tool answers, one object with both lists.
 */
export async function* readMcpItems(
  { file }: ImportFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportItem | ImportRefusal> {
  for await (const { text, line } of readObjects(readTextLines(file, onBytes))) {
    const where = `line ${line}`;
    const entry = parseJsonObject(text);
    const graph = asJsonObject(entry?.structuredContent) ?? entry;
    const { entities = [], relations = [] } = graph ?? {};
    if (Array.isArray(graph?.entities) || Array.isArray(graph?.relations)) {
      for (const it of toList(entities)) yield* readEntry({ ...asJsonObject(it), type: 'entity' }, where);
      for (const it of toList(relations)) yield* readEntry({ ...asJsonObject(it), type: 'relation' }, where);
    } else yield* readEntry(entry, where);
  }
}

function* readEntry(entry: JsonObject | undefined, where: string): Generator<ImportItem | ImportRefusal> {
  const name = toText(entry?.name);
  if (entry?.type === 'entity' && name !== '' && Array.isArray(entry.observations)) {
    const type = toText(entry.entityType).toLowerCase();
    // What is observed of a service or a module is a fact about it; only a person has habits.
    const gate: { readonly gate?: Gate } = /\b(?:person|people|user|human|developer|team|me)\b/u.test(type)
      ? {}
      : { gate: 'epistemic' };
    for (const observation of entry.observations as readonly unknown[]) {
      const observationText = toText(observation);
      if (observationText === '') {
        yield { where, reason: 'An observation is no text.' };
        continue;
      }
      // An observation read alone does not name its entity.
      const content = observationText.toLowerCase().includes(name.toLowerCase())
        ? observationText
        : `${name}: ${observationText}`;
      yield { content, where, ...gate, ...(type === '' ? {} : { tags: [type.slice(0, 64)] }) };
    }
  } else if (entry?.type === 'relation' && toText(entry.from) !== '' && toText(entry.to) !== '') {
    const verb = toText(entry.relationType).replaceAll(/[_\s]+/gu, ' ') || 'relates to';
    yield { content: `${toText(entry.from)} ${verb} ${toText(entry.to)}.`, where, gate: 'relational' };
  } else {
    yield { where, reason: 'It is neither an entity nor a relation.', isPassedOver: true };
  }
}

/** The outermost objects of a JSON text, however they are laid out, with the line where each begins. */
async function* readObjects(
  lines: AsyncIterable<string>,
): AsyncGenerator<{ readonly text: string; readonly line: number }> {
  let lineNumber = 0;
  let depth = 0;
  let isInString = false;
  let text = '';
  let start = 0;
  for await (const line of lines) {
    lineNumber++;
    // A line of the server that was cut off must not swallow those below it.
    if (depth > 0 && (line.startsWith('{"type":') || text.length > maxObjectLength)) {
      yield { text, line: start };
      [depth, text, isInString] = [0, '', false];
    }
    if (depth === 0 && !line.includes('{')) {
      if (/[^\s[\],]/u.test(line)) yield { text: line, line: lineNumber };
      continue;
    }
    let from = 0;
    for (let i = 0; i < line.length; i++) {
      const character = line[i];
      if (isInString) {
        if (character === '\\') i++;
        else if (character === '"') isInString = false;
      } else if (character === '"') isInString = depth > 0;
      else if (character === '{' && depth++ === 0) [from, start] = [i, lineNumber];
      else if (character === '}' && depth > 0 && --depth === 0) {
        yield { text: text + line.slice(from, i + 1), line: start };
        text = '';
        from = i + 1;
      }
    }
    isInString = false;
    if (depth > 0) text += `${line.slice(from)}\n`;
  }
  if (depth > 0) yield { text, line: start };
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
