import assert from 'node:assert/strict';
import { gateClasses, gateFeatureCount } from '../../../src/engine/model/gateWeights.js';
import { fitGates, type GateExample } from '../../bench/kit/gateFit.js';
import { seeded } from '../../bench/kit/random.js';

/** Examples whose gate is drawn by the softmax of known weights of the first features. */
function made(n: number, weights: readonly (readonly number[])[]): GateExample[] {
  const random = seeded(1);
  return Array.from({ length: n }, () => {
    const features = Array.from({ length: gateFeatureCount }, (_, i) =>
      i < weights[0]!.length ? random() * 4 - 2 : 0,
    );
    const powers = weights.map(its => Math.exp(its.reduce((sum, it, i) => sum + it * features[i]!, 0)));
    let left = random() * powers.reduce((sum, it) => sum + it, 0);
    return { gate: gateClasses[powers.findIndex(it => (left -= it) <= 0)]!, features };
  });
}

describe('fitting gates', () => {
  it('finds the weights that made the gates', () => {
    const weights = [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
      [0, 0],
    ];
    const found = fitGates(made(4_000, weights));
    const wrong = found.flatMap((its, k) => its.slice(0, 2).map((it, i) => Math.abs(it - weights[k]![i]!) > 0.2));
    assert.ok(!wrong.includes(true), JSON.stringify(found.map(its => its.slice(0, 2))));
    assert.ok(found.every(its => its.slice(2).every(it => it === 0)));
  });
});
