import { createHash } from 'node:crypto';
import { z } from 'zod';
import { gates, kinds, type Gate, type Kind } from '../model/memory.js';
import { dayMs } from '../model/duration.js';
import { prepareText } from '../remember/prepareFact.js';
import { isStorableField, validateText } from '../secrets/storableText.js';

/** Version of the format, in each line: lines of several versions may be in one file. Decisions came with the second. */
const lineVersion = 1;
const decisionVersion = 2;
/** In UTF-16 units. */
export const maxNameLength = 80;
/** How far the clocks of a team may be apart. */
const maxClockSkewMs = dayMs;

/** What a member shares. */
export interface SharedFact {
  readonly content: string;
  readonly gate: Gate;
  readonly kind: Kind;
  readonly tags: readonly string[];
  /** When it was last asserted, ISO-8601 UTC; not after the line was written. */
  readonly said: string;
}

export const decisionKinds = ['confirms', 'replaces', 'settles', 'early'] as const;

/** What a member decided about facts that are shared, by their shared ids. */
export interface TeamDecision {
  /** `confirms` that `about` holds; `other` `replaces` it; `settles` that both hold; `early`: the line of `about` is dated ahead. */
  readonly what: (typeof decisionKinds)[number];
  readonly about: string;
  /** Absent for `confirms` and `early`. */
  readonly other?: string;
  /** The time of the line of `about`, ISO-8601 UTC; of `early` alone. */
  readonly dated?: string;
}

/** One line of a team's folder. */
export interface TeamLine {
  /** Of the memory in the store of its member, or of the decision. */
  readonly id: string;
  /** When it was written, ISO-8601 UTC. */
  readonly at: string;
  /** The name that the member chose. */
  readonly by: string;
  /** Undefined: the member withdraws it, or decides about others. */
  readonly fact: SharedFact | undefined;
  readonly decision?: TeamDecision;
}

/** A line and where it stands. */
export interface PlacedLine extends TeamLine {
  readonly text: string;
  readonly hash: string;
  /** Base name of the file; empty for what came from a server. */
  readonly file: string;
  /** One-based; of the change, for what came from a server. */
  readonly number: number;
}

/** For people. */
export function describePlace({ file, number, id, by }: PlacedLine): string {
  return file === '' ? `${id.slice(-8)} by ${by}` : `${file}, line ${number}`;
}

const idSchema = z.uuid().transform(it => it.toLowerCase());
const timeSchema = z.iso.datetime().transform(it => new Date(it).toISOString());
const lineSchema = z.object({
  v: z.number(),
  id: idSchema,
  at: timeSchema,
  by: z.string().min(1).max(maxNameLength),
  withdrawn: z.literal(true).optional(),
});
const decisionSchema = z.object({
  decision: z.enum(decisionKinds),
  about: idSchema,
  other: idSchema.optional(),
  dated: timeSchema.optional(),
});
const factSchema = z.object({
  content: z.string(),
  gate: z.enum(gates),
  kind: z.enum(kinds),
  tags: z.array(z.string().min(1)).default([]),
  said: timeSchema,
});

/** Whether a name can stand in a list: one line of plain text, without a secret. */
export function isMemberName(name: string): boolean {
  return !/[\p{C}\p{Zl}\p{Zp}]/u.test(name) && isStorableField(name, maxNameLength);
}

/** The text of a line, without its end. */
export function renderTeamLine({ id, at, by, fact, decision }: TeamLine): string {
  if (decision !== undefined) {
    const { what, ...about } = decision;
    return JSON.stringify({ v: decisionVersion, id, at, by, decision: what, ...about });
  }
  return JSON.stringify({ v: lineVersion, id, at, by, ...(fact ?? { withdrawn: true }) });
}

export function hashTeamLine(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** A line that is left out, and why. */
interface RefusedLine {
  readonly refused: string;
  /** The line, where it is left because it is dated ahead. */
  readonly early?: Pick<TeamLine, 'id' | 'at'>;
}

/**
 * Reads one line, which any member, and any program of theirs, may have written. Undefined for an empty one.
 * @param limits of texts and tags, and the time now
 */
export function parseTeamLine(
  text: string,
  limits: {
    readonly now: Date;
    readonly maxCharacters: number;
    readonly maxTags: number;
    readonly maxTagCharacters: number;
    /** The line was read before: its texts hold no secret. */
    readonly isChecked?: boolean;
  },
): TeamLine | RefusedLine | undefined {
  if (text.trim() === '') return undefined;
  if (/^(?:<{7}|={7}|>{7}|\|{7})/u.test(text))
    return { refused: 'It is left of a merge with conflicts. Delete it, and keep the lines of both sides.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refused: 'It is no JSON; the line may be cut off.' };
  }
  const line = lineSchema.safeParse(value);
  if (!line.success) return { refused: `It is no shared memory: ${fieldOf(line.error)}.` };
  const { v, id, at, by, withdrawn } = line.data;
  const decision = v === decisionVersion ? decisionSchema.safeParse(value) : undefined;
  if (v !== lineVersion && decision?.success !== true)
    return { refused: 'A newer version wrote it. Update Recollect.' };
  if (Date.parse(at) > limits.now.getTime() + maxClockSkewMs)
    return {
      refused: `It is dated ${at.slice(0, 10)}, which is to come. Look at the clock of the machine that wrote it.`,
      early: { id, at },
    };
  if (!isMemberName(by)) return { refused: 'The name in it is no plain text, or holds a secret.' };
  if (decision?.success === true) {
    const { decision: what, about, other, dated } = decision.data;
    const more = { ...(other === undefined ? {} : { other }), ...(dated === undefined ? {} : { dated }) };
    return { id, at, by, fact: undefined, decision: { what, about, ...more } };
  }
  if (withdrawn === true) return { id, at, by, fact: undefined };
  const fact = factSchema.safeParse(value);
  if (!fact.success) return { refused: `It is no shared memory: ${fieldOf(fact.error)}.` };
  const { content, tags, said, ...rest } = fact.data;
  // The search for secrets takes long: it looks at no line twice, and at no more tags than are kept.
  const kept = tags.filter(it => it.length <= limits.maxTagCharacters && validateText(it, limits.maxTagCharacters).ok);
  const goodTags = kept.slice(0, limits.maxTags);
  const valid = validateText(content, limits.maxCharacters);
  if (!valid.ok) return { refused: valid.reason };
  const checked =
    limits.isChecked === true
      ? { content: valid.text }
      : prepareText(content, { maxCharacters: limits.maxCharacters, alongside: goodTags });
  if ('refused' in checked) return checked;
  return {
    id,
    at,
    by,
    fact: { ...rest, content: checked.content, tags: goodTags, said: said < at ? said : at },
  };
}

/**
 * By id the line that holds: the newest, and of several of one moment the last by its text, so that the order in which merges
 * left the lines makes no difference.
 */
export function newestLines(lines: Iterable<PlacedLine>): ReadonlyMap<string, PlacedLine> {
  const newest = new Map<string, PlacedLine>();
  for (const line of lines) {
    const other = newest.get(line.id);
    if (other === undefined || isAfter(line, other)) newest.set(line.id, line);
  }
  return newest;
}

function isAfter(a: PlacedLine, b: PlacedLine): boolean {
  if (a.at !== b.at) return a.at > b.at;
  if (a.text !== b.text) return a.text > b.text;
  // The same line twice, as a merge leaves it.
  return a.file === b.file ? a.number < b.number : a.file < b.file;
}

function fieldOf({ issues }: z.ZodError): string {
  return issues[0]!.path.join('.') || 'its shape';
}
