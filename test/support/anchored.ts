import { pathToFileURL } from 'node:url';
import { codeHash } from '../../src/engine/base/codeHash.js';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { keep } from './memory.js';

/** Source text of one function. */
export const harbourCode = 'export function mayLeave(depth: number): boolean {\n  return depth > 4;\n}\n';

/** Remembers a fact about `harbourCode`, the whole content of a file, and returns its id. */
export function keepAboutHarbour(engine: MemoryEngine, file: string): Promise<string> {
  return keep(engine, 'The harbour master must be asked before the depth limit changes.', {
    store: 'project',
    uri: pathToFileURL(file).href,
    range: { startLine: 0, endLine: 3 },
    symbol: 'mayLeave',
    anchorHash: codeHash(harbourCode),
  });
}
