import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MaintenanceRun } from '../../../src/engine/model/maintenance.js';
import {
  MaintenanceSchedule,
  parseAutomaticMaintenance,
  type MaintenanceScheduleHost,
} from '../../../src/vscode/maintenanceSchedule.js';
import { readPowerSource } from '../../../src/vscode/powerSource.js';
import { storeMemory, temporaryFolder } from '../../support/fixtures.js';
import { maintenanceHost } from '../maintenance/maintenanceHost.js';

/** @param supplies the files of each power supply, as Linux exposes them */
function power(
  name: string,
  supplies: Readonly<Record<string, Readonly<Record<string, string>>>>,
  expected: string,
): void {
  it(`is ${expected}: ${name}`, async () => {
    const folder = temporaryFolder();
    for (const [supply, files] of Object.entries(supplies)) {
      mkdirSync(path.join(folder, supply));
      for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, supply, file), `${text}\n`);
    }
    assert.equal(await readPowerSource('linux', folder), expected);
  });
}

describe('readPowerSource', () => {
  const battery = (status: string): Record<string, string> => ({ type: 'Battery', scope: 'System', status });
  power('a desktop computer', {}, 'mains');
  power('a laptop that charges', { AC: { type: 'Mains', online: '1' }, BAT0: battery('Charging') }, 'mains');
  power(
    'a laptop on mains with a full battery',
    { AC: { type: 'Mains', online: '1' }, BAT0: battery('Full') },
    'mains',
  );
  power('a laptop', { AC: { type: 'Mains', online: '0' }, BAT0: battery('Discharging') }, 'battery');
  power('one of two batteries in use', { BAT0: battery('Unknown'), BAT1: battery('Discharging') }, 'battery');
  power('a mouse', { mouse: { ...battery('Discharging'), scope: 'Device' } }, 'mains');
  it('is mains where the folder is missing', async () => {
    assert.equal(await readPowerSource('linux', path.join(temporaryFolder(), 'none')), 'mains');
  });
  it('is unknown on macOS and Windows', async () => {
    assert.deepEqual([await readPowerSource('darwin'), await readPowerSource('win32')], ['unknown', 'unknown']);
  });
});

describe('MaintenanceSchedule', () => {
  function check(name: string, rest: Partial<MaintenanceScheduleHost>, expected: unknown): void {
    it(`${name}: ${String(expected)}`, async () => {
      const host = maintenanceHost();
      const engine = await host.open();
      const id = await storeMemory(engine, 'The crane lifts twelve tonnes.', {
        gate: 'epistemic',
        decayClass: 'session',
      });
      const reported: (readonly MaintenanceRun[])[] = [];
      const schedule = new MaintenanceSchedule({
        engineHolder: { state: { kind: 'open', engine } },
        log: host.log,
        readAutomaticSetting: () => 'onMains',
        isTrusted: () => true,
        readPowerSource: () => Promise.resolve('mains'),
        onArchived: it => reported.push(it),
        onFailed: () => assert.fail('It does not fail.'),
        ...rest,
      });
      const first = await schedule.runIfDue();
      host.advanceDays(30);
      const second = await schedule.runIfDue();
      schedule.dispose();
      assert.deepEqual([first, second], typeof expected === 'number' ? [0, expected] : [expected, expected]);
      const isDone = expected === 1;
      assert.equal((await engine.get(id)).status, isDone ? 'archived' : 'active');
      assert.deepEqual(
        reported.map(runs => runs.map(it => [it.trigger, it.counts.faded])),
        isDone ? [[['schedule', 1]]] : [],
      );
    });
  }
  check('runs when it is due', {}, 1);
  check('does nothing when it is off', { readAutomaticSetting: () => 'off' }, 'off');
  check('does nothing in an untrusted workspace', { isTrusted: () => false }, 'untrusted');
  check('does nothing while the engine is closed', { engineHolder: { state: { kind: 'closed' } } }, 'closed');
  check('does nothing on battery', { readPowerSource: () => Promise.resolve('battery') }, 'battery');
  check(
    'does nothing where the power source is unknown',
    { readPowerSource: () => Promise.resolve('unknown') },
    'unknown power',
  );
  check(
    'runs on battery when the setting is always',
    { readPowerSource: () => Promise.resolve('battery'), readAutomaticSetting: () => 'always' },
    1,
  );

  it('parses its setting', () => {
    assert.deepEqual(['always', 'off', 'onMains', 'x', undefined].map(parseAutomaticMaintenance), [
      'always',
      'off',
      'onMains',
      'onMains',
      'onMains',
    ]);
  });
});
