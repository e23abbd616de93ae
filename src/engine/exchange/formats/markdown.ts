import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile } from '../../base/atomicFile.js';
import { asJsonObject, type JsonObject } from '../../base/json.js';
import { extractSection } from '../../base/markedSection.js';
import { EngineError } from '../../base/errors.js';
import { classify } from '../../classify/classify.js';
import type { ImportRefusal } from '../../model/importReport.js';
import type { Gate, StoreKind } from '../../model/memory.js';
import { findSecret } from '../../secrets/secretScanner.js';
import { parseFrontmatter } from './frontmatter.js';
import type { ImportFile, ImportItem } from './importFiles.js';
import { findInclude, includeRoot, maxIncludeDepth, takeIncludes, type Include } from './includes.js';
import { readMarkdownRules } from './markdownRules.js';

/** For what reads no day. */
const noTime = new Date(0);
const frontmatterPattern = /^\uFEFF?---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/u;
/** A memory of one file; a longer one is read like instructions. In UTF-16 units. */
const maxWholeFileLength = 2_000;

/** Types of the memories that Claude Code writes by itself. */
const autoMemoryTypes: Readonly<Record<string, { readonly gate?: Gate; readonly store?: StoreKind }>> = {
  user: { gate: 'behavioral', store: 'global' },
  feedback: {},
  project: {},
  reference: { gate: 'epistemic' },
};

/**
 * Reads an instructions file or a memory file of an assistant: its rules with their headings, without the section that
 * Recollect published into it. The files that a rule applies to, in the frontmatter, become part of its text.
 * @param store where everything in it belongs; undefined where each rule decides
 * @param trail the files that include this one, links followed, the outermost first
 */
export async function* readMarkdownItems(
  { file, name }: ImportFile,
  store: StoreKind | undefined,
  trail: readonly string[] = [],
): AsyncGenerator<ImportItem | ImportRefusal> {
  if (/(?:^|\/)(?:raw_memories\.md|rollout_summaries\/.*)$/u.test(name)) {
    yield { where: name, reason: 'It is the raw material of the other memories.', isPassedOver: true };
    return;
  }
  const source = ((await readTextFile(file, { followLinks: false })).text ?? '').replaceAll(/\r\n?/gu, '\n');
  const { text, reason } = withoutPublishedSection(source, file);
  if (reason !== undefined) yield { where: name, reason };
  const frontmatter = frontmatterPattern.exec(text);
  const fields = readFrontmatter(frontmatter?.[1] ?? '');
  if (fields === undefined) yield { where: 'line 1', reason: 'The frontmatter is no YAML; the text below it is read.' };
  // The lines keep their numbers.
  const folder = path.dirname(await realpath(file).catch(() => file));
  const whole = text.replace(frontmatterPattern, it => blankLines(it));
  const { text: body, includes } = takeIncludes(whole, folder);
  const typeName = asJsonObject(fields?.metadata)?.type ?? fields?.type;
  const type = typeof typeName === 'string' ? autoMemoryTypes[typeName] : undefined;
  const origin = { ...(store === undefined ? {} : { store }), ...type };
  if (type !== undefined && fields?.name !== undefined && isOneMemory(body)) {
    if (body.trim() !== '') yield { content: body.trim(), where: name, ...origin };
    return;
  }
  const files = appliesToFiles(fields ?? {});
  for (const it of readMarkdownRules(body)) {
    if ('reason' in it) yield it;
    else if (await pointsToReadFile(it.content, file, name))
      yield { where: `line ${it.line}`, reason: 'It points to a file that is read itself.', isPassedOver: true };
    else {
      const content = files === '' ? it.content : `For ${files}: ${it.content}`;
      yield { content, where: `line ${it.line}`, ...(it.isCommand ? gateOfCommand(content) : {}), ...origin };
    }
  }
  yield* readIncludes({ file, name }, includes, store, trail);
}

/**
 * A command says how something is done here: its purpose ("Run the tests") sounds like an order, and its flags like days or
 * plans. Not one that a heading or a purpose forbids.
 */
function gateOfCommand(content: string): { readonly gate?: Gate } {
  return classify(content, noTime, { readsDay: false }).gate === 'correction' ? {} : { gate: 'epistemic' };
}

/** Whether a line of an index of memories names one that is there. */
async function pointsToReadFile(content: string, file: string, name: string): Promise<boolean> {
  const target = /^(?:[^:]+: )?\[[^\]]+\]\(([^):]+\.md)\)/u.exec(content)?.[1];
  if (target === undefined || !/(?:^|\/)MEMORY\.md$/u.test(name)) return false;
  const found = await stat(path.join(path.dirname(file), target)).catch(() => undefined);
  return found?.isFile() === true;
}

/** What the included files say, in their order; the place names the file. */
async function* readIncludes(
  { file, name }: ImportFile,
  includes: readonly Include[],
  store: StoreKind | undefined,
  trail: readonly string[],
): AsyncGenerator<ImportItem | ImportRefusal> {
  if (includes.length === 0) return;
  const here = await realpath(file).catch(() => file);
  const root = await includeRoot(trail[0] ?? here);
  for (const { line, path: included } of includes) {
    const found = await findInclude(included, path.dirname(here), root);
    const refuse = (reason: string): ImportRefusal => ({ where: `line ${line}`, reason });
    if ('reason' in found) yield refuse(found.reason);
    else if ([...trail, here].includes(found.file)) yield refuse('It includes a file that includes this one.');
    else if (trail.length + 1 >= maxIncludeDepth) yield refuse('It includes a file that is too deep to be read.');
    else {
      const inner = { file: found.file, name: path.posix.join(path.posix.dirname(name), included) };
      for await (const it of readMarkdownItems(inner, store, [...trail, here]))
        yield {
          ...it,
          where: trail.length > 0 || it.where.startsWith(included) ? it.where : `${included}, ${it.where}`,
        };
    }
  }
}

function isOneMemory(body: string): boolean {
  return body.trim().length <= maxWholeFileLength && !/^#{1,6} /mu.test(body) && findSecret(body) === undefined;
}

/** The text with the published section blanked. A damaged section is no reason to read nothing. */
function withoutPublishedSection(
  source: string,
  file: string,
): { readonly text: string; readonly reason?: EngineError['message'] } {
  try {
    const section = extractSection(source, file);
    return { text: section === undefined ? source : source.replace(section, it => blankLines(it)) };
  } catch (error) {
    if (!EngineError.is(error, 'unsupportedFile')) throw error;
    return { text: source, reason: error.message };
  }
}

function blankLines(text: string): string {
  return text.replaceAll(/[^\n]/gu, '');
}

function readFrontmatter(yaml: string): JsonObject | undefined {
  const parsed = parseFrontmatter(yaml);
  if ('fields' in parsed) return parsed.fields;
  // `globs: *.ts`, as Cursor writes it, is no YAML.
  const entries = yaml.split('\n').map(it => /^([\w-]+):[ \t]*(?![ \t])(.*)$/u.exec(it));
  return entries.every(it => it !== null)
    ? Object.fromEntries(entries.map(([, key, value]) => [key!, value]))
    : undefined;
}

/** The file patterns of a rule as code, joined; empty for a rule about all files. */
function appliesToFiles({ globs, paths, applyTo }: JsonObject): string {
  const value = globs ?? paths ?? applyTo;
  const listed: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  const patterns = listed
    .filter(it => typeof it === 'string')
    .map(it => it.trim().replaceAll(/^["']|["']$/gu, ''))
    .filter(it => !/^(?:|\*\*?|\*\*\/\*)$/u.test(it));
  return patterns.map(it => `\`${it}\``).join(', ');
}
