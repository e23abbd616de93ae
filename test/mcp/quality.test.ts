import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { throughServer } from '../bench/kit/rawClient.js';
import { share, type Figures } from '../bench/kit/report.js';
import { askWorld, modes, worldFigures, type World, type WorldAnswers } from '../bench/kit/worlds.js';
import { misjudgedTexts } from '../bench/secrets.js';
import { updateFigures, type UpdatePair } from '../bench/updates.js';

/** Figures as they were when the file was last changed; a change on purpose renews it (`RECOLLECT_UPDATE=1`) in its commit. */
const baselineFile = path.resolve('test/quality/baseline.json');

const readFixture = (name: string): unknown =>
  JSON.parse(readFileSync(path.resolve('test/fixtures/quality', name), 'utf8'));

/**
 * How far a figure may be from the baseline, in its unit: the model computes in parallel, and sums of another order may swap
 * two memories that are as likely.
 */
function noiseOf(key: string): number {
  if (key.endsWith('.tokens')) return 5;
  if (key.endsWith('.returned')) return 0.1;
  return key.startsWith('secrets.') ? 0 : 3;
}

describe('the quality of a small world, through the MCP server with its encoder', () => {
  for (const mode of modes) {
    it(`stays as it is when a model helps: ${mode}`, async () => {
      const answers: WorldAnswers = { answers: [], stores: [] };
      await throughServer(call => askWorld(call, { world: readFixture('world.json') as World, mode }, answers));
      checkFigures(mode, worldFigures(answers));
    });
  }

  it('stays as it is for secrets, and for texts that look like them', async () => {
    const texts = (readFixture('secrets.json') as readonly { readonly text: string; readonly secret?: string }[]).map(
      // The values are cut in the file, so that no scanner takes it for a leak.
      ({ text, secret = '' }) => {
        const plantedValue = secret.replaceAll('¦', '');
        return { isSecret: secret !== '', kind: '', text: text.replace('{}', () => plantedValue), plantedValue };
      },
    );
    let figures: Figures = {};
    await throughServer(async call => {
      const wrong = await misjudgedTexts(call, texts);
      const of = (isSecret: boolean): typeof texts => texts.filter(it => it.isSecret === isSecret);
      figures = {
        caught: share(of(true), it => !wrong.includes(it)),
        ordinaryRefused: share(of(false), it => wrong.includes(it)),
      };
    });
    checkFigures('secrets', figures);
  });

  it('stays as it is for updates', async () => {
    let figures: Figures = {};
    await throughServer(async call => {
      figures = await updateFigures(call, readFixture('updates.json') as readonly UpdatePair[]);
    });
    checkFigures('updates', figures);
  });
});

function checkFigures(group: string, figures: Figures): void {
  const now = Object.fromEntries(Object.entries(figures).map(([key, value]) => [`${group}.${key}`, value]));
  const baseline = JSON.parse(readFileSync(baselineFile, 'utf8')) as Record<string, number>;
  if (process.env.RECOLLECT_UPDATE === '1') {
    writeFileSync(baselineFile, `${JSON.stringify({ ...baseline, ...now }, undefined, 2)}\n`);
    return;
  }
  const moved = Object.entries(now).filter(([key, value]) => !(Math.abs(value - baseline[key]!) <= noiseOf(key)));
  assert.deepEqual(Object.fromEntries(moved), Object.fromEntries(moved.map(([key]) => [key, baseline[key]])));
}
