import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { ImportFormat } from '../../model/importReport.js';
import { isFolder, readTextLines } from './importFiles.js';
import { lerimFolders } from './lerim.js';

/**
 * Detects the format of a file or folder by its layout, its extension or its first line.
 * @throws EngineError unsupportedFile (unreadable) | invalidInput (no format recognized)
 */
export async function detectFormat(inputPath: string): Promise<ImportFormat> {
  if (await isFolder(inputPath)) {
    const names = new Set(
      (await readdir(inputPath)).concat(await readdir(path.join(inputPath, 'memory')).catch(() => [])),
    );
    if (lerimFolders.some(it => names.has(it))) return 'lerim';
    if (path.basename(inputPath) === 'memories' || names.has('memories')) return 'copilot';
  } else if (/\.(?:md|markdown|mdc)$/iu.test(inputPath)) {
    return 'markdown';
  } else {
    for await (const line of readTextLines(inputPath)) {
      const first = line.trim();
      if (first === '') continue;
      if (/^\{\s*"recollect"\s*:\s*"export"/u.test(first)) return 'recollect';
      if (/"type"\s*:\s*"(?:entity|relation)"/u.test(first)) return 'mcp';
      break;
    }
  }
  throw new EngineError('invalidInput', message`Nothing at ${inputPath} says what it is. Name its format.`);
}
