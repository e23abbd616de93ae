/**
 * How often is the classifier right about statements it was not written for? The figures are those of the part kept
 * apart; the author of cues sees nothing else of that part. `--errors` lists the wrong gates of the dev part, `--kinds`
 * its wrong kinds.
 */
import { gates } from '../../src/engine/model/memory.js';
import {
  labeledStatements,
  classifyAsMajority,
  measureClassifier,
  classifyByKeywords,
  classifyWithRules,
  type ClassifierFigures as Shares,
} from './kit/labeledStatements.js';
import type { OptionValues } from './kit/options.js';
import { percent, type Figures, type Report } from './kit/report.js';

export const extraOptions = { errors: 'flag', kinds: 'flag' } as const;

export function run({ errors = false, kinds = false }: OptionValues<typeof extraOptions>): Promise<Report> {
  const { dev, heldOut } = labeledStatements();
  const [onDev, onKeptApart] = [measureClassifier(dev), measureClassifier(heldOut)];
  if (errors) listErrors(dev);
  if (kinds) listKinds(dev);
  const group = (statements: typeof dev, shares: Shares): NonNullable<Report['groups']>[string] => ({
    n: shares.n,
    figures: figures(shares),
    baseline: figures(measureClassifier(statements, classifyByKeywords)),
  });
  return Promise.resolve({
    name: 'classify',
    n: onKeptApart.n,
    figures: figures(onKeptApart),
    baseline: figures(measureClassifier(heldOut, classifyByKeywords)),
    peers: {
      majority: figures(measureClassifier(heldOut, classifyAsMajority)),
      naiveKeywords: figures(measureClassifier(heldOut, classifyByKeywords)),
    },
    groups: { dev: group(dev, onDev), 'kept apart': group(heldOut, onKeptApart) },
    notes: confusion(onKeptApart),
  });
}

function figures({ gate, kind }: Shares): Figures {
  return { gate: percent(gate), kind: percent(kind) };
}

function confusion({ confusion: counts }: Shares): string[] {
  const rows = gates.map(row => {
    const cells = gates.map(column => String(counts[row]?.[column] ?? 0).padStart(12));
    return row.padStart(12) + cells.join('');
  });
  return [
    'Kept apart, labelled (rows) and given (columns):',
    ['', ...gates].map(it => it.padStart(12)).join(''),
    ...rows,
  ];
}

type Statements = ReturnType<typeof labeledStatements>['dev'];

function listErrors(statements: Statements): void {
  for (const it of statements) {
    const given = classifyWithRules(it.text);
    if (given.gate !== it.gate) console.log(`\n${it.gate} → ${given.gate}: ${it.text}\n    ${given.cues.join(', ')}`);
  }
}

function listKinds(statements: Statements): void {
  for (const it of statements) {
    const given = classifyWithRules(it.text);
    if (given.gate !== it.gate || given.kind === it.kind) continue;
    const change = `${it.kind} → ${given.kind}`;
    console.log(`${change}: ${it.text} [${given.cues.join(', ')}]`);
  }
}
