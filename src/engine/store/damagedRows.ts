import { parseObject } from '../database/jsonColumns.js';
import { formatMessage } from '../model/engineMessages.js';
import { decayClasses, gates, kinds, lanes, statuses } from '../model/memory.js';
import { hashContent } from './contentHash.js';
import type { OutsideChanges } from './loggedState.js';
import { textChecksum } from './memoryRow.js';

/** The values that a column of memories may have; a row with another one means nothing. */
export const allowedValues: readonly (readonly [column: string, values: readonly string[]])[] = [
  ['gate', gates],
  ['kind', kinds],
  ['lane', lanes],
  ['decay_class', decayClasses],
  ['status', statuses],
];
/** Columns of memories that hold a time. */
export const timeColumns: readonly string[] = ['created_at', 'updated_at', 'reinforced_at'];

/** Whether the text of a row is what was stored. @param cells by column */
export function isIntact(cells: Readonly<Record<string, unknown>>): boolean {
  const { id, content, summary } = cells;
  if (typeof id !== 'string' || typeof content !== 'string' || typeof summary !== 'string') return false;
  const { crc } = (parseObject(cells.provenance as string) ?? {}) as { crc?: unknown };
  // Rows of earlier versions have no checksum.
  return crc === undefined
    ? hashContent(content) === cells.content_hash
    : crc === textChecksum({ id, content, summary });
}

/** One sentence for each kind of what another program has changed. */
export function describeOutsideChanges({ edges, vectors }: OutsideChanges): readonly string[] {
  return [
    ...(edges.length === 0 ? [] : [formatMessage('changedEdges', edges.length, nameMemories(edges))]),
    ...(vectors.length === 0 ? [] : [formatMessage('changedVectors', vectors.length, nameMemories(vectors))]),
  ];
}

/** Some of the memories by their short ids, for the report of a check. */
export function nameMemories(ids: readonly string[]): string {
  const named = ids.slice(0, maxNamedMemories).map(it => `#${it.slice(-8)}`);
  return [...named, ...(ids.length > maxNamedMemories ? ['…'] : [])].join(', ');
}

const maxNamedMemories = 5;
