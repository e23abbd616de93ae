import { combinedGateOf } from '../../../src/engine/classify/combinedGate.js';
import type { Gate } from '../../../src/engine/model/memory.js';
import { toGateWeights, type ReadExample } from './gateExamples.js';
import { fitGates } from './gateFit.js';
import { percent } from './report.js';

/** Examples of worlds, and of the project's own statements: those for fitting, and those that are kept apart. */
export interface GateData {
  readonly worlds: readonly (readonly ReadExample[])[];
  readonly own: readonly ReadExample[];
  readonly kept: readonly ReadExample[];
}

/** Shares of right gates in percent: by the cues, by the encoder's head, and by both. */
interface GateShares {
  readonly n: number;
  readonly cues: number;
  readonly head: number;
  readonly both: number;
}

export interface GateFigures {
  readonly worlds: GateShares;
  readonly kept: GateShares;
}

/** Each world is read by weights that were fitted without it; the statements kept apart by those fitted on all worlds. */
export function measureGates(model: string, { worlds, own, kept }: GateData): GateFigures {
  const withoutEach = worlds.map((_, left) => {
    const others = worlds.filter((_, i) => i !== left).flat();
    return toGateWeights(model, fitGates([...others, ...own]));
  });
  const all = toGateWeights(model, fitGates([...worlds.flat(), ...own]));
  const given = worlds.flatMap((its, i) => its.map(it => combinedGateOf(it.features, withoutEach[i]!)));
  return {
    worlds: shares(worlds.flat(), given),
    kept: shares(
      kept,
      kept.map(it => combinedGateOf(it.features, all)),
    ),
  };
}

export function describeGates({ worlds, kept }: GateFigures): string {
  const line = (name: string, it: GateShares): string =>
    `${name.padEnd(24)} n ${it.n}: cues ${it.cues}, encoder ${it.head}, both ${it.both}`;
  return [line('gates, worlds', worlds), line('gates, statements', kept)].join('\n');
}

function shares(examples: readonly ReadExample[], both: readonly Gate[]): GateShares {
  const share = (gateOf: (it: ReadExample, i: number) => Gate): number =>
    percent(examples.filter((it, i) => gateOf(it, i) === it.gate).length / examples.length);
  return {
    n: examples.length,
    cues: share(it => it.cues),
    head: share(it => it.head),
    both: share((_, i) => both[i]!),
  };
}
