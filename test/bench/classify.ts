/**
 * How often is the classifier right about statements it was not written for?
 * `node out/test/bench/classify.js [--json] [--errors]`; --errors lists the wrong ones of the dev part, never of the
 * part kept apart: whoever writes cues sees only that part's figures.
 */
import { gates } from '../../src/engine/model/memory.js';
import { labelledStatements, majority, measure, naive, ours, type Figures } from './classifySet.js';

const { dev, keptApart } = labelledStatements();
const figures = { dev: measure(dev), keptApart: measure(keptApart) };
const baseline = {
  majority: measure(keptApart, majority),
  naiveKeywords: measure(keptApart, naive),
};

console.log(line('dev', figures.dev));
console.log(line('kept apart', figures.keptApart));
console.log(line('kept apart, majority gate', baseline.majority));
console.log(line('kept apart, naive keywords', baseline.naiveKeywords));
console.log('\nKept apart, labelled (rows) and given (columns):');
console.log(['', ...gates].map(gate => gate.padStart(12)).join(''));
for (const row of gates) {
  const cells = gates.map(column => String(figures.keptApart.confusion[row]?.[column] ?? 0).padStart(12));
  console.log(row.padStart(12) + cells.join(''));
}

if (process.argv.includes('--errors')) {
  for (const it of dev) {
    const given = ours(it.text);
    if (given.gate !== it.gate) console.log(`\n${it.gate} → ${given.gate}: ${it.text}\n    ${given.cues.join(', ')}`);
  }
}
if (process.argv.includes('--kinds')) {
  for (const it of dev) {
    const given = ours(it.text);
    if (given.gate === it.gate && (given.kind !== it.kind || given.decayClass !== it.decayClass)) {
      console.log(
        `${it.kind}/${it.decayClass} → ${given.kind}/${given.decayClass}: ${it.text} [${given.cues.join(', ')}]`,
      );
    }
  }
}
if (process.argv.includes('--json')) {
  const shares = ({ n, gate, kind, decayClass }: Figures): object => ({ n, gate, kind, decayClass });
  console.log(
    JSON.stringify({
      name: 'classify',
      n: keptApart.length,
      figures: { ...shares(figures.keptApart), dev: shares(figures.dev) },
      baseline: { majority: shares(baseline.majority), naiveKeywords: shares(baseline.naiveKeywords) },
    }),
  );
}

function line(name: string, { n, gate, kind, decayClass }: Figures): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`.padStart(8);
  return `${name.padEnd(28)} n ${String(n).padStart(4)}  gate ${percent(gate)}  kind ${percent(kind)}  decay class ${percent(decayClass)}`;
}
