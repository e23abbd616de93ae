import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readRegularText } from '../base/regularFile.js';
import type { BriefedProgram } from '../model/briefing.js';

/** Bytes of one file; an assistant reads no longer one at each start. */
const maxFileBytes = 256 * 1024;
/** Of one folder of rules. */
const maxFilesPerFolder = 50;

interface InstructionFiles {
  /** Files of a project, and folders of Markdown files, with slashes. */
  readonly inProject: readonly string[];
  /** Files of the person. */
  readonly ofPerson: readonly string[];
  /** Matches the path of any file that the program reads by itself, in a project or a home folder. */
  readonly pattern: RegExp;
}

const agentsPattern = /(?:^|[\\/])AGENTS(?:\.override)?\.md$/iu;

function filesOf(program: BriefedProgram): InstructionFiles {
  const { CLAUDE_CONFIG_DIR, CODEX_HOME } = process.env;
  switch (program) {
    case 'claude-code':
      return {
        inProject: ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', '.claude/rules/'],
        ofPerson: [path.join(CLAUDE_CONFIG_DIR ?? path.join(os.homedir(), '.claude'), 'CLAUDE.md')],
        pattern: /(?:^|[\\/])(?:CLAUDE(?:\.local)?\.md$|\.claude[\\/]rules[\\/])|[\\/]memory[\\/]MEMORY\.md$/iu,
      };
    case 'codex':
      return {
        inProject: ['AGENTS.md', 'AGENTS.override.md'],
        ofPerson: [path.join(CODEX_HOME ?? path.join(os.homedir(), '.codex'), 'AGENTS.md')],
        pattern: agentsPattern,
      };
    case 'vscode':
      return {
        inProject: ['.github/copilot-instructions.md', '.github/instructions/', 'AGENTS.md'],
        ofPerson: [],
        pattern: /(?:^|[\\/])(?:\.github[\\/](?:copilot-instructions\.md$|instructions[\\/])|AGENTS\.md$)/iu,
      };
    case 'copilot':
      return {
        inProject: ['.github/copilot-instructions.md', '.github/instructions/', 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md'],
        ofPerson: [],
        pattern:
          /(?:^|[\\/])(?:\.github[\\/](?:copilot-instructions\.md$|instructions[\\/])|(?:AGENTS|CLAUDE|GEMINI)\.md$)/iu,
      };
  }
}

/** What a program reads by itself at the start of a session, as far as it concerns what is remembered. */
export interface OwnInstructions {
  /** Whether the program reads the text itself: the file that it was imported from, or the same words in one of its files. */
  includes(memory: { readonly content: string; readonly file?: string }): boolean;
}

/** @param folder the project, where there is one */
export async function readOwnInstructions(
  program: BriefedProgram,
  folder: string | undefined,
): Promise<OwnInstructions> {
  const { inProject, ofPerson, pattern } = filesOf(program);
  const inFolder = folder === undefined ? [] : inProject.map(it => path.join(folder, it));
  const named = (await Promise.all([...inFolder, ...ofPerson].map(listFiles))).flat();
  const texts = await Promise.all(named.map(readIfThere));
  // Claude Code reads an AGENTS.md only where there is no CLAUDE.md.
  const readsAgentsFile = program === 'claude-code' && folder !== undefined && texts[0] === undefined;
  const agentsText = readsAgentsFile ? await readIfThere(path.join(folder, 'AGENTS.md')) : undefined;
  const passages = new Set([...texts, agentsText].flatMap(it => (it === undefined ? [] : readPassages(it))));
  return {
    includes({ content, file }) {
      if (file !== undefined && (pattern.test(file) || (readsAgentsFile && agentsPattern.test(file)))) return true;
      if (passages.size === 0) return false;
      const sentences = splitSentences(content).map(wordsOf);
      return passages.has(wordsOf(content)) || (sentences.length > 0 && sentences.every(it => passages.has(it)));
    },
  };
}

async function listFiles(place: string): Promise<readonly string[]> {
  if (!place.endsWith(path.sep) && !place.endsWith('/')) return [place];
  const names = await readdir(place).catch(() => []);
  return names
    .filter(it => it.endsWith('.md'))
    .sort()
    .slice(0, maxFilesPerFolder)
    .map(it => path.join(place, it));
}

function readIfThere(file: string): Promise<string | undefined> {
  return readRegularText(file, { maxBytes: maxFileBytes, followLinks: true }).catch(() => undefined);
}

/** The words of each item, paragraph and sentence of a Markdown text. */
function readPassages(text: string): readonly string[] {
  const blocks = text.split(/\n\s*\n|\n(?=[^\S\n]*(?:[-*+]|\d{1,3}[.)]|#{1,6})\s)/u);
  return blocks.flatMap(it => [it, ...splitSentences(it)].map(wordsOf)).filter(it => it !== '');
}

function splitSentences(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+/u).filter(it => it.trim() !== '');
}

/** Letters and digits alone, with single spaces: neither Markdown nor an escape makes a difference. */
function wordsOf(text: string): string {
  return text
    .replace(/^\s*(?:[-*+]|\d{1,3}[.)]|#{1,6})\s+/u, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
}
