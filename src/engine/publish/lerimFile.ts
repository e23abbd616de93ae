import { parseDocument, stringify } from 'yaml';
import { kinds, lanes, type Kind, type Lane } from '../model/memory.js';
import { summarise } from '../text/normalise.js';
import { cleanText } from '../text/shape.js';

/** What a Markdown file with frontmatter says (lerim). What it does not say is absent. */
export interface LerimFile {
  readonly id?: string;
  readonly title?: string;
  /** ISO-8601 UTC. */
  readonly created?: string;
  readonly tags?: readonly string[];
  readonly kind?: Kind;
  readonly lane?: Lane;
  /** 0-100; 0-1 in the file. */
  readonly confidence?: number;
  /** Without white space around it, LF line ends. */
  readonly body: string;
}

const frontmatter = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/u;

/** Or a sentence that says what is wrong. Unknown keys, and values that mean nothing here, are passed over. */
export function readLerimFile(text: string): LerimFile | { readonly refused: string } {
  const found = frontmatter.exec(text);
  const body = cleanText(text.slice(found?.[0].length ?? 0));
  if (found === null) return { body };
  const document = parseDocument(found[1] ?? '', { logLevel: 'silent' });
  const error = document.errors[0];
  if (error !== undefined) return { refused: `The frontmatter is no YAML: ${error.message.split('\n', 1)[0]!}` };
  const values: unknown = document.toJS();
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return { body };
  const front = values as Readonly<Record<string, unknown>>;
  const fields = {
    id: oneLine(front.id),
    title: oneLine(front.title),
    created: time(front.created),
    tags: Array.isArray(front.tags) ? front.tags.map(oneLine).filter(it => it !== undefined) : undefined,
    kind: kinds.find(it => it === front.kind),
    lane: lanes.find(it => it === front.lane),
    confidence: share(front.confidence),
  };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { body, ...given };
}

/** A title that says no more than the body is its summary. */
export function contentOf({ title = '', body }: Pick<LerimFile, 'title' | 'body'>): string {
  if (body === '' || title === '') return body === '' ? title : body;
  return summarise(body) === title || body.startsWith(title) ? body : `${title}\n\n${body}`;
}

/** What another program said about where a file comes from is not ours to change. */
const keptKeys = ['created', 'source'];

/**
 * The text of a file. Of one that exists, every key that is not given stays as it is, comments and order too; so does
 * its line end.
 */
export function writeLerimFile(values: Readonly<Record<string, unknown>>, body: string, existing?: string): string {
  const found = existing === undefined ? null : frontmatter.exec(existing);
  const eol = existing?.includes('\r\n') === true ? '\r\n' : '\n';
  const document = parseDocument(found?.[1] ?? '');
  if (found === null || document.errors.length > 0) return `---\n${stringify(values)}---\n\n${body}\n`;
  for (const [key, value] of Object.entries(values)) {
    if (keptKeys.includes(key) && document.has(key)) continue;
    if (JSON.stringify(document.get(key)) !== JSON.stringify(value)) document.set(key, document.createNode(value));
  }
  const bom = existing?.startsWith('\uFEFF') === true ? '\uFEFF' : '';
  return bom + `---\n${document.toString()}---\n\n${body}\n`.replaceAll(/\r?\n/gu, eol);
}

function oneLine(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = cleanText(String(value)).replaceAll(/\s+/gu, ' ');
  return text === '' ? undefined : text;
}

function time(value: unknown): string | undefined {
  const at = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function share(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? Math.round(value * 100) : undefined;
}
