import type { CaptureSource } from '../../model/capture.js';
import {
  defaultClaudeSessionsFolder,
  hashClaudeTail,
  listClaudeSessions,
  readClaudeSessionFolder,
  readClaudeTranscript,
  resumeClaudePosition,
} from './claudeCode.js';
import { codexReader, defaultCodexSessionsFolder } from './codex.js';
import { copilotCliReader, defaultCopilotSessionsFolder } from './copilotCli.js';
import { cursorReader, defaultCursorFolder } from './cursor.js';
import { defaultGeminiSessionsFolder, geminiCliReader } from './geminiCli.js';
import { defaultOpencodeFolder, opencodeReader } from './opencode.js';
import { specStoryFolder, specStoryReader } from './specStory.js';
import type { TranscriptReader } from './transcriptReader.js';
import {
  findChatFolder,
  hashChatTail,
  listChatSessions,
  readChatTranscript,
  resumeChatPosition,
} from './vscodeChat.js';

export const transcriptReaders: Readonly<Record<CaptureSource, TranscriptReader>> = {
  claudeCode: {
    listFiles: listClaudeSessions,
    readFolder: readClaudeSessionFolder,
    readLines: readClaudeTranscript,
    resumePosition: resumeClaudePosition,
    hashTail: hashClaudeTail,
  },
  vscodeChat: {
    listFiles: listChatSessions,
    readFolder: findChatFolder,
    readLines: readChatTranscript,
    resumePosition: resumeChatPosition,
    hashTail: hashChatTail,
  },
  codex: codexReader,
  geminiCli: geminiCliReader,
  copilotCli: copilotCliReader,
  opencode: opencodeReader,
  cursor: cursorReader,
  specStory: specStoryReader,
};

/** Where each program keeps its sessions; VS Code's chats are the host's to find. */
export function defaultSessionFolders(
  home: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): Readonly<Record<Exclude<CaptureSource, 'vscodeChat'>, string>> {
  return {
    claudeCode: defaultClaudeSessionsFolder(home, environment),
    codex: defaultCodexSessionsFolder(home, environment),
    geminiCli: defaultGeminiSessionsFolder(home, environment),
    copilotCli: defaultCopilotSessionsFolder(home, environment),
    opencode: defaultOpencodeFolder(home, environment),
    cursor: defaultCursorFolder(home, environment, platform),
    specStory: specStoryFolder,
  };
}
