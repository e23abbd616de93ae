import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readRegularText } from '../../base/regularFile.js';
import { createDocumentReader } from './documentSource.js';
import { skippedLine, spokenLine, toSafeField, toTime } from './sessionFields.js';
import { sortByModificationTime } from './sessionFiles.js';
import type { LineMetadata, SessionLine } from './sessionLine.js';

/** Where SpecStory writes its histories, in each project. */
export const specStoryFolder = path.join('.specstory', 'history');

const maxHistoryBytes = 64 * 1024 * 1024;
/** A turn's first line: `_**User (2026-07-02 15:28:39Z)**_`; a sub-agent's has ` - sidechain`. */
const turnHeader =
  /^_\*\*(User|Agent|Assistant)( - sidechain)?(?: \((?:.*?)?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:Z|[+-]\d{4})?)?\))?\*\*_[ \t]*$/u;
/** `<!-- Claude Code Session 887aca16-… (2026-07-02 15:28:22Z) -->`. */
const sessionComment = /^<!-- [^\n]{0,80}? Session (\S{1,100}) \(/mu;
/** What an agent thought, and what its tools returned. */
const hiddenParts = /<(think|tool-use)\b[^>]{0,300}>[\s\S]*?<\/\1>/gu;

/** SpecStory: Markdown histories of the sessions of several programs, in the project. */
export const specStoryReader = createDocumentReader({
  async listFiles(folder, workspaceFolders) {
    const found: string[] = [];
    for (const it of workspaceFolders) {
      const history = path.resolve(it, folder);
      const names = await readdir(history).catch(() => []);
      found.push(...names.filter(name => name.endsWith('.md')).map(name => path.join(history, name)));
    }
    return sortByModificationTime(found);
  },
  readFolder: file => Promise.resolve(projectOf(file)),
  async readDocument(file) {
    const text = (await readRegularText(file, { maxBytes: maxHistoryBytes })).replaceAll('\r\n', '\n');
    const session = toSafeField(sessionComment.exec(text)?.[1]);
    const place = { session, folder: projectOf(file) };
    return splitTurns(text).map(it => toLine(it, place));
  },
});

/** Of `<project>/.specstory/history/<name>.md`. */
function projectOf(file: string): string {
  return path.resolve(path.dirname(file), '..', '..');
}

interface HistoryTurn {
  readonly isPerson: boolean;
  readonly isSidechain: boolean;
  /** As it stands in the history. */
  readonly time: string | undefined;
  readonly text: string;
}

/** The turns of a history. A header within code or a tool's output is none. */
function splitTurns(text: string): readonly HistoryTurn[] {
  const turns: (HistoryTurn & { readonly lines: string[] })[] = [];
  for (const line of text.replaceAll(hiddenParts, '').split('\n')) {
    const header = turnHeader.exec(line);
    if (header === null) turns.at(-1)?.lines.push(line);
    else {
      const [, speaker, sidechain, time] = header;
      const lines: string[] = [];
      turns.push({ isPerson: speaker === 'User', isSidechain: sidechain !== undefined, time, text: '', lines });
    }
  }
  return turns.map(({ lines, ...rest }) => ({
    ...rest,
    text: lines
      .join('\n')
      .replace(/\n---\s*$/u, '')
      .trim(),
  }));
}

function toLine(
  { isPerson, isSidechain, time, text }: HistoryTurn,
  place: Pick<LineMetadata, 'session' | 'folder'>,
): SessionLine {
  const at = toTime(time?.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)$/u, '$1:$2'));
  const metadata: LineMetadata = { uuid: undefined, branch: undefined, at, ...place };
  if (isSidechain) return skippedLine('sidechain', metadata);
  return spokenLine(isPerson ? 'person' : 'outcome', text, metadata);
}
