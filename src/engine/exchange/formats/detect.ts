import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { ImportFormat } from '../../model/importReport.js';
import { isFolder, listInstructionFiles, readTextLines } from './importFiles.js';
import { lerimFolders } from './lerim.js';

/** The beginning of a file that is looked at. In UTF-16 units. */
const maxDetectedLength = 10_000;

/**
 * Detects the format of a file or folder by its layout, its extension or its first lines.
 * @throws EngineError unsupportedFile (unreadable) | invalidInput (no format recognized)
 */
export async function detectFormat(inputPath: string, maxBytes?: number): Promise<ImportFormat> {
  if (await isFolder(inputPath)) {
    const names = new Set(
      (await readdir(inputPath)).concat(await readdir(path.join(inputPath, 'memory')).catch(() => [])),
    );
    if (lerimFolders.some(it => names.has(it))) return 'lerim';
    const isCodex = names.has('memory_summary.md') || names.has('raw_memories.md');
    const isWindsurf = names.has('global_rules.md');
    if ((path.basename(inputPath) === 'memories' && !isCodex && !isWindsurf) || names.has('memories')) return 'copilot';
    if ((await listInstructionFiles(inputPath)).files.length > 0) return 'markdown';
  } else if (/\.(?:md|markdown|mdc)$|(?:^|[\\/])\.\w+rules$/iu.test(inputPath)) {
    return 'markdown';
  } else {
    let text = '';
    for await (const line of readTextLines(inputPath, undefined, maxBytes)) {
      const first = line.trim();
      if (first === '') continue;
      if (text === '' && /^\{\s*"recollect"\s*:\s*"export"/u.test(first)) return 'recollect';
      text += `${first}\n`;
      if (/"type"\s*:\s*"(?:entity|relation)"|"entities"\s*:\s*\[/u.test(text)) return 'mcp';
      if (text.length > maxDetectedLength) break;
    }
  }
  throw new EngineError(
    'invalidInput',
    message`${inputPath} has no CLAUDE.md, AGENTS.md, other file of rules or export. Name another path, or its format.`,
  );
}
