import { lstat, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readTextFile, type TextFile } from '../base/atomicFile.js';
import { message } from '../base/localizableMessage.js';
import { extractSection, removeSection } from '../base/markedSection.js';
import { fileError } from '../base/regularFile.js';
import type { PublishTarget } from '../model/publishing.js';
import { findRepository } from '../store/projectIdentity.js';

/** Where a target's section belongs. */
export interface TargetPlace {
  /** After resolving symbolic links. */
  readonly file: string;
  /** Undefined where there is no file yet. */
  readonly text: string | undefined;
  /** The beginning of a new file. */
  readonly header: string;
  /** Texts that the assistant reads as well. */
  readonly otherTexts: readonly string[];
  /** Files with a section that this one replaces. */
  readonly replaced: readonly string[];
}

const agentsFile = 'AGENTS.md';
const claudeFiles = ['CLAUDE.md', path.join('.claude', 'CLAUDE.md')] as const;
/** Claude Code reads an AGENTS.md only where there is no CLAUDE.md, so a new CLAUDE.md would hide it. */
const claudeRulesFile = path.join('.claude', 'rules', 'recollect.md');

/** Without `alwaysApply` Cursor reads a rule only when it is named. */
const cursorHeader = `---
description: What this project has agreed, kept by Recollect
alwaysApply: true
---
`;

/** All files of a target that may hold a section. */
export function targetFiles(target: PublishTarget, folder: string | undefined): readonly string[] {
  switch (target) {
    case 'claude':
      return [...claudeFiles, claudeRulesFile].map(it => path.join(folder!, it));
    case 'agents':
      return [path.join(folder!, agentsFile)];
    case 'copilot':
      return [path.join(folder!, '.github', 'copilot-instructions.md')];
    case 'cursor':
      return [path.join(folder!, '.cursor', 'rules', 'recollect.mdc')];
    case 'gemini':
      return [path.join(folder!, 'GEMINI.md')];
    case 'user':
      return [path.join(process.env.CLAUDE_CONFIG_DIR ?? path.join(os.homedir(), '.claude'), 'CLAUDE.md')];
  }
}

/** The link by which a target names a file; undefined where it names the file itself. @param file after resolving links */
export async function findLink(
  target: PublishTarget,
  folder: string | undefined,
  file: string,
): Promise<string | undefined> {
  for (const it of targetFiles(target, folder)) {
    const isLink = (await lstat(it).catch(() => undefined))?.isSymbolicLink() === true;
    if (isLink && (await realpath(it).catch(() => it)) === file) return it;
  }
  return undefined;
}

/**
 * Reads a file of a target, through links as long as they stay in the project or its git repository: a repository decides where
 * its links lead, and a project may be a folder of one.
 * @param folder of the project; undefined for a person's own instructions
 * @throws EngineError unsupportedFile, with the place that a link leads to
 */
export async function readTarget(namedFile: string, folder: string | undefined): Promise<TextFile> {
  if (folder !== undefined) await assertWithin(folder, namedFile, await realpath(namedFile).catch(() => namedFile));
  const found = await readTextFile(namedFile);
  if (folder !== undefined) await assertWithin(folder, namedFile, found.file);
  return found;
}

/** @param real where a file of the project leads to; before it is opened, as it may be a device */
async function assertWithin(folder: string, namedFile: string, real: string): Promise<void> {
  const realFolder = await realpath(folder).catch(() => folder);
  const isWithin = [folder, realFolder].some(it => {
    const place = path.relative(it, real);
    return !path.isAbsolute(place) && place.split(path.sep, 1)[0] !== '..';
  });
  if (isWithin || (await isInSameRepository(folder, real))) return;
  throw fileError(namedFile, message`leads to ${real}, which is outside of the project. Nothing was written`);
}

/** A home folder under version control is no project: a link from a folder of it may lead to anything of the person. */
async function isInSameRepository(folder: string, file: string): Promise<boolean> {
  const [own, other] = await Promise.all([findRepository(folder), findRepository(path.dirname(file))]);
  const home = await realpath(os.homedir()).catch(() => os.homedir());
  return own !== undefined && own.root === other?.root && own.root !== home;
}

/** @param chosen all targets of the run @throws EngineError unsupportedFile */
export async function locateTarget(
  target: PublishTarget,
  folder: string | undefined,
  chosen: readonly PublishTarget[],
): Promise<TargetPlace> {
  if (target === 'claude') return locateClaude(folder!, chosen.includes('agents'));
  const { file, text } = await readTarget(targetFiles(target, folder)[0]!, folder);
  const readsAgentsFile = target === 'copilot' || target === 'cursor';
  const otherTexts = readsAgentsFile ? await readOwnTexts([path.join(folder!, agentsFile)], file) : [];
  return { file, text, header: target === 'cursor' ? cursorHeader : '', otherTexts, replaced: [] };
}

/**
 * The CLAUDE.md in which a person has written; else, next to an AGENTS.md, the rules file, or the AGENTS.md itself where it
 * gets a section anyway; else a new CLAUDE.md.
 */
async function locateClaude(folder: string, isAgentsFileChosen: boolean): Promise<TargetPlace> {
  const files = await Promise.all(targetFiles('claude', folder).map(it => readTarget(it, folder)));
  const agents = await readTarget(path.join(folder, agentsFile), folder);
  const written = files.slice(0, claudeFiles.length).find(({ file, text }) => isWritten(text, file));
  const isBesideAgents = agents.text !== undefined || isAgentsFileChosen;
  const place = written ?? (isBesideAgents ? (isAgentsFileChosen ? agents : files.at(-1)!) : files[0]!);
  const readAlso =
    written === undefined
      ? [agents.file]
      : importedFiles(written.text!).map(it => path.resolve(written.file, '..', it));
  const replaced = files.filter(
    it => it.file !== place.file && it.text !== undefined && extractSection(it.text, it.file) !== undefined,
  );
  return {
    ...place,
    header: '',
    otherTexts: await readOwnTexts(readAlso, place.file),
    replaced: replaced.filter(it => !isWritten(it.text, it.file)).map(it => it.file),
  };
}

/** Whether a file has text besides a section. */
function isWritten(text: string | undefined, file: string): boolean {
  return text !== undefined && removeSection(text, file).replace('\uFEFF', '').trim() !== '';
}

/** Whether a text without its section is empty, or is what a new file begins with. */
export function isUnused(text: string): boolean {
  const rest = text.replace('\uFEFF', '').replaceAll('\r\n', '\n').trim();
  return rest === '' || rest === cursorHeader.trim();
}

/** The Markdown files that a CLAUDE.md imports by `@path`, as they are written there. */
function importedFiles(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w`@.])@([\w./-]+\.md)\b/giu)].map(it => it[1]!);
}

/** The texts of those of the files that can be read and are not `except`, without their sections. */
async function readOwnTexts(files: readonly string[], except: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const it of files) {
    try {
      const { file, text } = await readTextFile(it);
      if (text !== undefined && file !== except) texts.push(removeSection(text, file));
    } catch {
      // A file that is only compared must not keep the section from being written.
    }
  }
  return texts;
}
