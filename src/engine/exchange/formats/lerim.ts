import { isMap, parseDocument, stringify } from 'yaml';
import { readTextFile } from '../../base/atomicFile.js';
import { omitUndefined } from '../../base/omitUndefined.js';
import type { ImportRefusal } from '../../model/importReport.js';
import { kinds, lanes, type Kind, type Lane, type StoreKind } from '../../model/memory.js';
import { toSingleLineSummary } from '../../text/singleLine.js';
import { sanitizeText } from '../../secrets/storableText.js';
import { parseFrontmatter } from './frontmatter.js';
import type { ImportFile, ImportItem } from './importFiles.js';

/** Folders of active memories; archived ones are below `archived`. */
export const lerimFolders = ['decisions', 'learnings', 'summaries'];

/** A Markdown file with YAML frontmatter, as lerim writes it. Fields that the file does not have are absent. */
export interface LerimFile {
  readonly id?: string;
  readonly title?: string;
  /** Of a session summary: a second line of its title. */
  readonly description?: string;
  /** Of a session summary: the session's id. */
  readonly runId?: string;
  /** ISO-8601 UTC. */
  readonly created?: string;
  readonly tags?: readonly string[];
  /** Search aids, as the file has them. */
  readonly questions?: readonly string[];
  readonly keywords?: readonly string[];
  readonly kind?: Kind;
  readonly lane?: Lane;
  /** 1-10. */
  readonly priority?: number;
  /** The day of a plan, YYYY-MM-DD. */
  readonly due?: string;
  /** 0-100; the file has 0-1. */
  readonly confidence?: number;
  /** Trimmed, with LF line ends. */
  readonly body: string;
}

/** Reads one file of a lerim folder; the folder determines the kind. Files outside of {@link lerimFolders} are skipped. */
export async function* readLerimItems(
  { file, name }: ImportFile,
  store: StoreKind = 'project',
): AsyncGenerator<ImportItem | ImportRefusal> {
  const folders = name.split('/');
  const folder = folders.findLast(it => lerimFolders.includes(it) || it === 'archived');
  if (folder === undefined || !name.endsWith('.md')) return;
  if (folders.includes('archived')) {
    yield { where: name, reason: 'It is archived there.' };
    return;
  }
  const parsed = parseLerimFile((await readTextFile(file, { followLinks: false })).text ?? '');
  if ('refused' in parsed) {
    yield { where: name, reason: parsed.refused };
    return;
  }
  const { created: at, kind, tags, confidence } = parsed;
  yield {
    content: lerimContentOf(parsed, folder),
    where: name,
    kind: lerimKindOf(folder, kind),
    store,
    ...omitUndefined({ tags, confidence, at }),
  };
}

/** The kind of a memory in a folder; `kind` is the file's own, which other folders than the three leave as it is. */
export function lerimKindOf(folder: string, kind: Kind | undefined): Kind {
  if (folder === 'decisions') return kind === 'architecture' ? kind : 'decision';
  return folder === 'summaries' ? 'summary' : (kind ?? 'insight');
}

const frontmatterPattern = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/u;

/**
 * Parses a file's text. Unknown keys and invalid values are ignored; `refused` is a sentence for the person where the
 * frontmatter is not valid YAML.
 */
export function parseLerimFile(text: string): LerimFile | { readonly refused: string } {
  const match = frontmatterPattern.exec(text);
  const body = sanitizeText(text.slice(match?.[0].length ?? 0));
  if (match === null) return { body };
  const frontmatter = parseFrontmatter(match[1] ?? '');
  if ('problem' in frontmatter) return { refused: `The frontmatter is no YAML: ${frontmatter.problem}` };
  // Lines between two rules of dashes, which writing the file again would replace.
  if (Object.keys(frontmatter.fields).length === 0 && /^[^#\s]/mu.test(match[1] ?? ''))
    return { refused: 'The frontmatter has no keys. Write them as "key: value", or remove the lines of dashes.' };
  const { fields } = frontmatter;
  const { id, title, created, tags, questions, keywords, kind, lane, priority, due, confidence } = fields;
  return {
    body,
    ...omitUndefined({
      id: toSingleLine(id),
      title: toSingleLine(title),
      description: toSingleLine(fields.description),
      runId: toSingleLine(fields.run_id),
      created: toIsoTime(created) ?? toIsoTime(sessionTime(fields)),
      tags: toLines(tags),
      questions: toLines(questions),
      keywords: toLines(keywords),
      kind: kinds.find(it => it === kind),
      lane: lanes.find(it => it === lane),
      priority: toPriority(priority),
      due: toIsoTime(due)?.slice(0, 10),
      confidence: toPercentage(confidence),
    }),
  };
}

/**
 * The text to remember: title, description of a session summary, and body, without what only summarizes or repeats the body.
 */
export function lerimContentOf(file: Pick<LerimFile, 'title' | 'description' | 'body'>, folder: string): string {
  const { title = '', description = '' } = file;
  const isRepeated = file.body.replaceAll(/\s+/gu, ' ').includes(description);
  const body = folder !== 'summaries' || isRepeated ? file.body : `${description}\n\n${file.body}`.trim();
  if (body === '' || title === '') return body === '' ? title : body;
  return toSingleLineSummary(body) === title || body.startsWith(title) ? body : `${title}\n\n${body}`;
}

/** Keys that keep the value another program wrote: they say where the file comes from. */
const preservedKeys = [
  'created',
  'source',
  'description',
  'date',
  'time',
  'coding_agent',
  'raw_trace_path',
  'run_id',
  'repo_name',
];

/**
 * The keys of a session summary. `raw_trace_path` is read by nothing, and written only where a sync has put the transcript there.
 * @param createdAt ISO-8601 UTC
 * @param session its id; undefined, as `agent` and `repository`, where it is not known
 */
export function lerimSummaryKeys({
  content,
  createdAt,
  session,
  agent,
  repository,
  trace,
}: {
  readonly content: string;
  readonly createdAt: string;
  readonly session: string | undefined;
  readonly agent: string | undefined;
  readonly repository: string | undefined;
  /** The transcript, below the lerim folder. */
  readonly trace: string | undefined;
}): Readonly<Record<string, unknown>> {
  const lines = content.split('\n').map(it => it.replaceAll(/\s+/gu, ' ').trim());
  return {
    // A line of the content, so that reading it adds nothing.
    description: lines.slice(1).find(it => it !== '' && it.length <= maxDescriptionLength) ?? undefined,
    date: createdAt.slice(0, 10),
    time: createdAt.slice(11, 19),
    coding_agent: agent,
    raw_trace_path: trace,
    run_id: session,
    repo_name: repository,
  };
}
const maxDescriptionLength = 200;

/**
 * The text of a file with these frontmatter values and this body; a key whose value is undefined is left out. An existing file keeps its other keys, their order, its
 * comments and its line ends.
 */
export function serializeLerimFile(values: Readonly<Record<string, unknown>>, body: string, existing?: string): string {
  const match = existing === undefined ? null : frontmatterPattern.exec(existing);
  const eol = existing?.includes('\r\n') === true ? '\r\n' : '\n';
  const document = parseDocument(match?.[1] ?? '');
  const isMapping = document.contents === null || isMap(document.contents);
  if (match === null || document.errors.length > 0 || !isMapping) return `---\n${stringify(values)}---\n\n${body}\n`;
  for (const [key, value] of Object.entries(values)) {
    if (preservedKeys.includes(key) && document.has(key)) continue;
    if (value === undefined) {
      document.delete(key);
      continue;
    }
    if (JSON.stringify(document.get(key)) !== JSON.stringify(value)) document.set(key, document.createNode(value));
  }
  const bom = existing?.startsWith('\uFEFF') === true ? '\uFEFF' : '';
  return bom + `---\n${document.toString()}---\n\n${body}\n`.replaceAll(/\r?\n/gu, eol);
}

/** The time of a session, in UTC where the file names no zone. */
function sessionTime({ date, time }: Readonly<Record<string, unknown>>): unknown {
  if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/u.test(date)) return undefined;
  return typeof time === 'string' && /^\d\d:\d\d(?::\d\d)?$/u.test(time) ? `${date}T${time}Z` : date;
}

function toLines(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(toSingleLine).filter(it => it !== undefined) : undefined;
}

function toSingleLine(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = sanitizeText(String(value)).replaceAll(/\s+/gu, ' ');
  return text === '' ? undefined : text;
}

function toIsoTime(value: unknown): string | undefined {
  const at = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function toPriority(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10 ? Number(value) : undefined;
}

function toPercentage(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? Math.round(value * 100) : undefined;
}
