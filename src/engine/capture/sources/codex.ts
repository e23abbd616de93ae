import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { asJsonObject, parseJsonObject, type JsonObject } from '../../base/json.js';
import { createJsonLinesReader, type SessionHeader } from './jsonLinesSource.js';
import {
  changedFilesWork,
  skippedLine,
  spokenLine,
  toBranch,
  toObjects,
  toSafeField,
  toTime,
} from './sessionFields.js';
import type { LineMetadata, LineWork, SessionLine } from './sessionLine.js';

/** The default folder of Codex's rollouts. */
export function defaultCodexSessionsFolder(home: string, environment: NodeJS.ProcessEnv): string {
  return path.join(environment.CODEX_HOME ?? path.join(home, '.codex'), 'sessions');
}

/** What the extension of Codex for an editor puts before what the person typed. */
const ideContext = /^# Context from my IDE setup:[\s\S]*?^## My request for Codex:[ \t]*$/mu;
/** A file in a patch. */
const patchedFile = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gmu;

/** Marks the header of a session that another agent runs. */
const subagentSession = 'subagent';

/** Codex: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, in lines of `{ timestamp, type, payload }`. */
export const codexReader = createJsonLinesReader({
  async findFiles(folder) {
    const names = await readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => []);
    return names.filter(it => /^rollout-.*\.jsonl$/u.test(path.basename(it))).map(it => path.join(folder, it));
  },
  readHeader({ type, payload }): SessionHeader | undefined {
    const meta = asJsonObject(payload);
    if (type !== 'session_meta' || meta === undefined) return undefined;
    const isSubagent = asJsonObject(meta.source)?.subagent !== undefined;
    return {
      session: isSubagent ? subagentSession : toSafeField(meta.id),
      folder: toSafeField(meta.cwd),
      branch: toBranch(asJsonObject(meta.git)?.branch),
    };
  },
  parseLine({ timestamp, type, payload }, header): SessionLine {
    const metadata: LineMetadata = { uuid: undefined, at: toTime(timestamp), ...header };
    const body = asJsonObject(payload);
    if (body === undefined) return { kind: 'malformed' };
    if (header.session === subagentSession) return skippedLine('sidechain', { ...metadata, session: undefined });
    if (type === 'event_msg') return parseEvent(body, metadata);
    if (type === 'compacted') return skippedLine('compaction', metadata);
    if (type !== 'response_item') return skippedLine('meta', metadata);
    switch (body.type) {
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        return skippedLine('toolUse', metadata, readPatch(body));
      case 'function_call_output':
      case 'custom_tool_call_output':
        return skippedLine('toolResult', metadata);
      default:
        // Messages as the model sees them: what was typed is an event of its own.
        return skippedLine('meta', metadata);
    }
  },
});

/** A turn: an item that is completed (seen with 0.169), an event of its own in older versions. */
function parseEvent({ type, message, item }: JsonObject, metadata: LineMetadata): SessionLine {
  const said = type === 'item_completed' ? asJsonObject(item) : undefined;
  const speaker = said?.type ?? type;
  const text = said === undefined ? message : textOf(said.content);
  if (typeof text !== 'string') return skippedLine('meta', metadata);
  if (speaker === 'user_message' || speaker === 'UserMessage')
    return spokenLine('person', text.replace(ideContext, ''), metadata);
  if (speaker === 'agent_message' || speaker === 'AgentMessage') return spokenLine('outcome', text, metadata);
  return skippedLine('meta', metadata);
}

/** The text of an item, whose parts may be images too. */
function textOf(content: unknown): string {
  return toObjects(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n\n');
}

/** The files of a patch, which is the input of a tool of its own or stands in a command. */
function readPatch({ name, input, arguments: given }: JsonObject): LineWork | undefined {
  if (typeof input === 'string' && name === 'apply_patch') return filesOfPatch(input);
  const { command, cmd, input: patch } = parseJsonObject(typeof given === 'string' ? given : '') ?? {};
  const texts = [command, cmd, patch].flatMap(it => (Array.isArray(it) ? (it as unknown[]) : [it]));
  const text = texts.filter(it => typeof it === 'string').join('\n');
  return text.includes('*** Begin Patch') ? filesOfPatch(text) : undefined;
}

function filesOfPatch(patch: string): LineWork | undefined {
  return changedFilesWork(Array.from(patch.matchAll(patchedFile), it => it[1]!.trim()));
}
