import { standingGrade } from '../classify/standing.js';
import type { Gate, Kind, Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { formatListItem } from './sortForPublishing.js';

/**
 * Memories per kind that is no rule for work (cortex). Rules have room first, and what is left goes to the next memories in
 * order, of any kind.
 */
const maxMemoriesByKind: Readonly<Partial<Record<Kind, number>>> = {
  architecture: 25,
  decision: 25,
  gotcha: 20,
  context: 15,
};
/** Memories of a section, one item each. */
export const maxSectionMemories = 110;

/**
 * In the order of the section: what holds here, and how things are done. What is being worked on, session summaries, insights
 * and descriptions of code are nothing that a project agrees on.
 */
const headings: readonly (readonly [Kind, string])[] = [
  ['architecture', 'Architecture'],
  ['decision', 'Decisions'],
  ['pattern', 'Patterns'],
  ['preference', 'Conventions'],
  ['procedure', 'Procedures'],
  ['gotcha', 'Gotchas'],
  ['pitfall', 'Pitfalls'],
  ['friction', 'Friction'],
  ['context', 'Context'],
];
const agreedKinds: readonly Kind[] = headings.map(([kind]) => kind);
/** People and plans are not agreed on. */
const agreedGates: readonly Gate[] = ['correction', 'behavioral', 'epistemic'];

/** The memories of a project's store that state what the project has agreed, and are meant to last. */
export async function listAgreed(store: Store): Promise<Memory[]> {
  const found: Memory[] = [];
  const filter = {
    kinds: agreedKinds,
    gates: agreedGates,
    decayClasses: ['durable', 'permanent'],
    scopeId: '',
    statuses: ['active'],
  } as const;
  for await (const page of store.scanAll(filter)) found.push(...page);
  return found;
}

/**
 * @param candidates of the published kinds, best first
 * @returns at most {@link maxSectionMemories} of them, in that order: rules for work, then each other kind up to its limit
 */
export function selectForPublishing(candidates: readonly Memory[]): Memory[] {
  const remaining = new Map(Object.entries(maxMemoriesByKind));
  const selected = new Set<Memory>();
  const select = (it: Memory): void => {
    if (selected.size < maxSectionMemories) selected.add(it);
  };
  for (const it of candidates) if (standingGrade(it) === 'rule') select(it);
  for (const it of candidates) {
    const left = remaining.get(it.kind) ?? 0;
    if (left === 0 || selected.has(it)) continue;
    remaining.set(it.kind, left - 1);
    select(it);
  }
  candidates.forEach(select);
  return candidates.filter(it => selected.has(it));
}

const sectionIntroduction = 'What this project has agreed, kept by Recollect. Changes in here are lost.';

/** A project's section without markers, by kind; within a kind by age, so that a changed rank moves no line. */
export function renderProjectSection(selected: readonly Memory[]): readonly string[] {
  if (selected.length === 0) return [];
  const inOrder = [...selected].sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
  const parts = headings.flatMap(([kind, heading]) => {
    const items = inOrder
      .filter(it => it.kind === kind)
      .flatMap(it => formatListItem(it, { suffix: it.lane === 'note' ? unconfirmedSuffix : '' }).split('\n'));
    return items.length === 0 ? [] : ['', `### ${heading}`, '', ...items];
  });
  return ['## Project Memory', '', sectionIntroduction, ...parts];
}

const unconfirmedSuffix = ' (noted by a model, not confirmed)';

/** The section of the person's own file, without markers. */
export function renderUserSection(
  parts: readonly { readonly heading: string; readonly items: readonly string[] }[],
): readonly string[] {
  return parts.flatMap(({ heading, items }, i) => [
    ...(i === 0 ? [] : ['']),
    `## ${heading}`,
    '',
    ...items.flatMap(it => it.split('\n')),
  ]);
}
