import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const chatId = '015358ec-c587-4589-abc9-9fdfef9a8b5e';

type Json = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** Lines of a chat session as VS Code 1.139 writes them: one object, then changes to it. */
export const initialLine = (requests: readonly Json[] = []): string =>
  JSON.stringify({
    kind: 0,
    v: {
      version: 3,
      creationDate: 1795274908016,
      responderUsername: '',
      sessionId: chatId,
      requests,
      pendingRequests: [],
    },
  });
export const setLine = (k: Path, v: unknown): string => JSON.stringify({ kind: 1, k, v });
export const pushLine = (k: Path, v: readonly unknown[], i?: number): string =>
  JSON.stringify({ kind: 2, k, v, ...(i === undefined ? {} : { i }) });
export const removeLine = (k: Path): string => JSON.stringify({ kind: 3, k });

let made = 0;

/** A request that waits for its answer; `rest` replaces what it names. */
export function chatRequest(text: string, rest: Json = {}): Json {
  made++;
  return {
    requestId: `request_${String(made).padStart(6, '0')}`,
    timestamp: Date.parse('2026-02-27T10:00:00.000Z') + made * 60_000,
    agent: {
      extensionId: { value: 'GitHub.copilot-chat', _lower: 'github.copilot-chat' },
      id: 'github.copilot.editsAgent',
    },
    modelId: 'copilot/auto',
    hiddenFromTranscript: false,
    modelState: { value: 0 },
    contentReferences: [{ kind: 'reference', reference: 'Never read what is attached.' }],
    response: [],
    message: { text, parts: [{ kind: 'text', text }] },
    variableData: { variables: [{ kind: 'file', value: 'Never learn from the content of a file.' }] },
    ...rest,
  };
}

export const completedState = {
  modelState: { value: 1, completedAt: Date.parse('2026-02-27T10:00:30.000Z') },
} as const;
export const markdownPart = (value: string): Json => ({ value, supportThemeIcons: false, supportHtml: false });
export const toolPart = (output: string): Json => ({
  kind: 'toolInvocationSerialized',
  toolId: 'run_in_terminal',
  isComplete: true,
  resultDetails: { output: [{ type: 'embed', value: output }] },
  toolSpecificData: { kind: 'terminal', commandLine: { original: output } },
});

/** A request and its answer, done with. */
export const chatExchange = (text: string, answer: string): Json =>
  chatRequest(text, {
    ...completedState,
    response: [toolPart('Never learn from the output of a tool.'), markdownPart(answer)],
  });

/** Writes a session into a workspace's storage, which says which folder it is of. @returns the file */
export function writeChat(
  storage: string,
  lines: readonly string[],
  folder?: string,
  name = `${chatId}.jsonl`,
): string {
  const file = path.join(storage, 'chatSessions', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, lines.map(it => `${it}\n`).join(''));
  if (folder !== undefined) {
    writeFileSync(path.join(storage, 'workspace.json'), JSON.stringify({ folder: pathToFileURL(folder).href }));
  }
  return file;
}
