import { pathToFileURL } from 'node:url';
import { codeHash } from '../../src/engine/base/codeHash.js';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { storeMemory } from './fixtures.js';

/** Source text of one function. */
export const harbourCode = 'export function mayLeave(depth: number): boolean {\n  return depth > 4;\n}\n';

/** Remembers a fact about `harbourCode`, the whole content of a file, and returns its id. */
export function storeHarbourMemory(engine: MemoryEngine, file: string): Promise<string> {
  return storeMemory(engine, 'The harbour master must be asked before the depth limit changes.', {
    store: 'project',
    uri: pathToFileURL(file).href,
    range: { startLine: 0, endLine: 3 },
    symbol: 'mayLeave',
    anchorHash: codeHash(harbourCode),
  });
}
