import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { asJsonObject } from '../../base/json.js';
import { createJsonLinesReader, type SessionHeader } from './jsonLinesSource.js';
import { changedFilesWork, skippedLine, spokenLine, toBranch, toSafeField, toTime } from './sessionFields.js';
import type { LineMetadata, SessionLine } from './sessionLine.js';

/** The default folder of Copilot CLI's sessions. */
export function defaultCopilotSessionsFolder(home: string, environment: NodeJS.ProcessEnv): string {
  return path.join(environment.COPILOT_HOME ?? path.join(home, '.copilot'), 'session-state');
}

const editTools: readonly unknown[] = ['edit', 'create', 'str_replace_editor'];

/** Copilot CLI: `session-state/<id>/events.jsonl`, before 2026 `session-state/<id>.jsonl`, in events of `{ type, data, id, timestamp }`. */
export const copilotCliReader = createJsonLinesReader({
  async findFiles(folder) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const nested = entries.filter(it => it.isDirectory()).map(it => path.join(folder, it.name, 'events.jsonl'));
    return [...nested, ...entries.filter(it => it.name.endsWith('.jsonl')).map(it => path.join(folder, it.name))];
  },
  readHeader({ type, data }): SessionHeader | undefined {
    const start = asJsonObject(data);
    if (type !== 'session.start' || start === undefined) return undefined;
    const { cwd, gitRoot, branch } = asJsonObject(start.context) ?? {};
    return {
      session: toSafeField(start.sessionId),
      folder: toSafeField(cwd) ?? toSafeField(gitRoot),
      branch: toBranch(branch),
    };
  },
  parseLine({ type, data, id, timestamp }, header): SessionLine {
    const metadata: LineMetadata = { uuid: toSafeField(id), at: toTime(timestamp), ...header };
    const body = asJsonObject(data);
    if (typeof type !== 'string' || body === undefined) return { kind: 'malformed' };
    const { content, source, parentToolCallId, toolName, arguments: given } = body;
    if (parentToolCallId !== undefined) return skippedLine('sidechain', metadata);
    if (type === 'user.message') {
      // A skill or the program itself speaks in the person's place.
      const isTyped = source === undefined || source === 'user';
      return isTyped && typeof content === 'string'
        ? spokenLine('person', content, metadata)
        : skippedLine('meta', metadata);
    }
    if (type === 'assistant.message') {
      const isCall = typeof content !== 'string' || content.trim() === '';
      return isCall ? skippedLine('toolUse', metadata) : spokenLine('outcome', content, metadata);
    }
    if (type === 'tool.execution_start') {
      const { path: file, file_path } = asJsonObject(given) ?? {};
      const work = editTools.includes(toolName) ? changedFilesWork([file ?? file_path]) : undefined;
      return skippedLine('toolUse', metadata, work);
    }
    if (type === 'tool.execution_complete') return skippedLine('toolResult', metadata);
    if (type.startsWith('session.compaction')) return skippedLine('compaction', metadata);
    return skippedLine(type === 'session.error' ? 'apiError' : 'meta', metadata);
  },
});
