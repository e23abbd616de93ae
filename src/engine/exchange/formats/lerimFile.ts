import { parseDocument, stringify } from 'yaml';
import { kinds, lanes, type Kind, type Lane } from '../../model/memory.js';
import { toSingleLineSummary } from '../../text/normalizeText.js';
import { sanitizeText } from '../../text/validateText.js';

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

const frontmatterPattern = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/u;

/** Or a sentence that says what is wrong. Unknown keys, and values that mean nothing here, are passed over. */
export function parseLerimFile(text: string): LerimFile | { readonly refused: string } {
  const found = frontmatterPattern.exec(text);
  const body = sanitizeText(text.slice(found?.[0].length ?? 0));
  if (found === null) return { body };
  const document = parseDocument(found[1] ?? '', { logLevel: 'silent' });
  const error = document.errors[0];
  if (error !== undefined) return { refused: `The frontmatter is no YAML: ${error.message.split('\n', 1)[0]!}` };
  const values: unknown = document.toJS();
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return { body };
  const frontmatter = values as Readonly<Record<string, unknown>>;
  const fields = {
    id: toSingleLine(frontmatter.id),
    title: toSingleLine(frontmatter.title),
    created: toIsoTime(frontmatter.created),
    tags: Array.isArray(frontmatter.tags)
      ? frontmatter.tags.map(toSingleLine).filter(it => it !== undefined)
      : undefined,
    kind: kinds.find(it => it === frontmatter.kind),
    lane: lanes.find(it => it === frontmatter.lane),
    confidence: toPercentage(frontmatter.confidence),
  };
  const presentFields = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { body, ...presentFields };
}

/** A title that says no more than the body is its summary. */
export function lerimContentOf({ title = '', body }: Pick<LerimFile, 'title' | 'body'>): string {
  if (body === '' || title === '') return body === '' ? title : body;
  return toSingleLineSummary(body) === title || body.startsWith(title) ? body : `${title}\n\n${body}`;
}

/** What another program said about where a file comes from is not ours to change. */
const preservedKeys = ['created', 'source'];

/**
 * The text of a file. Of one that exists, every key that is not given stays as it is, comments and order too; so does
 * its line end.
 */
export function serializeLerimFile(values: Readonly<Record<string, unknown>>, body: string, existing?: string): string {
  const found = existing === undefined ? null : frontmatterPattern.exec(existing);
  const eol = existing?.includes('\r\n') === true ? '\r\n' : '\n';
  const document = parseDocument(found?.[1] ?? '');
  if (found === null || document.errors.length > 0) return `---\n${stringify(values)}---\n\n${body}\n`;
  for (const [key, value] of Object.entries(values)) {
    if (preservedKeys.includes(key) && document.has(key)) continue;
    if (JSON.stringify(document.get(key)) !== JSON.stringify(value)) document.set(key, document.createNode(value));
  }
  const bom = existing?.startsWith('\uFEFF') === true ? '\uFEFF' : '';
  return bom + `---\n${document.toString()}---\n\n${body}\n`.replaceAll(/\r?\n/gu, eol);
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

function toPercentage(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 1 ? Math.round(value * 100) : undefined;
}
