import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { classify } from '../../../src/engine/classify/classify.js';
import type { Classification, Gate } from '../../../src/engine/model/memory.js';

/** A statement of a developer with labels assigned by hand. */
export interface LabeledStatement {
  readonly text: string;
  readonly gate: Gate;
  readonly kind: Classification['kind'];
}

/** The clock of the evaluation: a Wednesday. */
export const evaluationNow = new Date('2026-11-18T10:00:00Z');

/**
 * The labelled statements. `dev` may be inspected while cues are written. `keptApart` is the held-out
 * set: only its figures count.
 * It holds a share of the first set dealt out by a hash, and a second set, phrased after public contributing guides,
 * agent instructions, decision records, issue threads and post-mortems, written and labelled before it was measured.
 */
export function labeledStatements(): { readonly dev: LabeledStatement[]; readonly heldOut: LabeledStatement[] } {
  return { dev: readStatements('dev.jsonl'), heldOut: readStatements('keptApart.jsonl') };
}

export interface ClassifierFigures {
  readonly n: number;
  /** Accuracies, 0-1. */
  readonly gate: number;
  readonly kind: number;
  /** Counts by label, then by prediction. */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

type Classifier = (text: string) => Pick<Classification, 'gate' | 'kind'>;

/** Measures a classifier on labelled statements. */
export function measureClassifier(
  statements: readonly LabeledStatement[],
  classifier: Classifier = classifyWithRules,
): ClassifierFigures {
  const confusion: Record<string, Record<string, number>> = {};
  const right = { gate: 0, kind: 0 };
  for (const expected of statements) {
    const actual = classifier(expected.text);
    right.gate += Number(actual.gate === expected.gate);
    right.kind += Number(actual.kind === expected.kind);
    const row = (confusion[expected.gate] ??= {});
    row[actual.gate] = (row[actual.gate] ?? 0) + 1;
  }
  const n = statements.length;
  return { n, gate: right.gate / n, kind: right.kind / n, confusion };
}

export function classifyWithRules(text: string): Classification {
  return classify(text, evaluationNow);
}

/** A naive baseline: one keyword list per gate; the first match decides. */
export function classifyByKeywords(text: string): Pick<Classification, 'gate' | 'kind'> {
  const rules: readonly [Gate, RegExp][] = [
    ['correction', /\b(?:never|do not|don't|not|wrong|actually|avoid)\b/i],
    ['promissory', /\b(?:will|plan|promised?|next|scheduled|todo|deadline|before)\b/i],
    ['behavioral', /\b(?:i (?:always|prefer|like|use)|prefer|always|style)\b/i],
    ['relational', /\b(?:team|owns|leads|manager|reviews?|lead)\b/i],
  ];
  const gate = rules.find(([, pattern]) => pattern.test(text))?.[0] ?? 'epistemic';
  const kinds = {
    correction: 'pitfall',
    behavioral: 'preference',
    epistemic: 'context',
    relational: 'context',
    promissory: 'progress',
  } as const;
  return { gate, kind: kinds[gate] };
}

/** The majority-class baseline. */
export function classifyAsMajority(): Pick<Classification, 'gate' | 'kind'> {
  return { gate: 'epistemic', kind: 'context' };
}

function readStatements(file: string): LabeledStatement[] {
  const lines = readFileSync(join('test', 'fixtures', 'classify', file), 'utf8')
    .trim()
    .split('\n');
  return lines.map(line => JSON.parse(line) as LabeledStatement);
}
