import { parseJsonObject } from '../../base/json.js';
import type { ImportRefusal } from '../../model/importReport.js';
import { readTextLines, type ImportFile, type ImportItem } from './importFiles.js';

/** Reads the graph of the MCP reference memory server: entities with observations, and relations, as JSON lines. */
export async function* readMcpItems(
  { file }: ImportFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportItem | ImportRefusal> {
  let lineNumber = 0;
  for await (const line of readTextLines(file, onBytes)) {
    lineNumber++;
    const where = `line ${lineNumber}`;
    if (line.trim() === '') continue;
    const entry = parseJsonObject(line);
    const toText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
    const name = toText(entry?.name);
    if (entry?.type === 'entity' && name !== '' && Array.isArray(entry.observations)) {
      const type = toText(entry.entityType).toLowerCase();
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
        yield { content, where, ...(type === '' ? {} : { tags: [type.slice(0, 64)] }) };
      }
    } else if (entry?.type === 'relation' && toText(entry.from) !== '' && toText(entry.to) !== '') {
      const verb = toText(entry.relationType).replaceAll(/[_\s]+/gu, ' ') || 'relates to';
      yield { content: `${toText(entry.from)} ${verb} ${toText(entry.to)}.`, where };
    } else {
      yield { where, reason: 'It is neither an entity nor a relation.' };
    }
  }
}
