import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import { message } from '../../../src/engine/base/localizableMessage.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Alert } from '../../../src/engine/model/maintenance.js';
import { AlertWatch } from '../../../src/vscode/alertWatch.js';
import { Emitter } from '../../../src/vscode/emitter.js';
import type { EngineHolderState } from '../../../src/vscode/engineHolder.js';

const embeddingFailed: Alert = { kind: 'embeddingFailed', text: message`It does not run.` };
const overQuota: Alert = { kind: 'overQuota', store: 'global', text: message`Over the quota.` };

/** A holder whose state and alerts the test sets. */
function fakeHolder() {
  const states = new Emitter<EngineHolderState>();
  const [changes, answers, modelUses] = [new Emitter<void>(), new Emitter<void>(), new Emitter<void>()];
  const fake = {
    alerts: [] as Alert[],
    programAlerts: [] as Alert[],
    looks: 0,
    state: { kind: 'closed' } as EngineHolderState,
    onDidChangeState: states.event,
    onDidChangeMemories: changes.event,
    onDidAnswer: answers.event,
    onDidUseModel: modelUses.event,
    answer: () => {
      answers.fire();
    },
    useModel: () => {
      modelUses.fire();
    },
    change: () => {
      changes.fire();
    },
    enter: (state: EngineHolderState) => {
      fake.state = state;
      states.fire(state);
    },
    open: () => {
      const maintenance = {
        storeAlerts: () => {
          fake.looks++;
          return Promise.resolve(fake.alerts);
        },
        programAlerts: () => fake.programAlerts,
        confirmAlerts: () => {
          fake.alerts = [];
          return Promise.resolve();
        },
      };
      fake.enter({ kind: 'open', engine: { maintenance } as unknown as MemoryEngine });
    },
  };
  return fake;
}

const nextChange = (watch: AlertWatch): Promise<void> =>
  new Promise(resolve => {
    const subscription = watch.onDidChange(() => {
      subscription.dispose();
      resolve();
    });
  });

describe('AlertWatch', () => {
  it('opens nothing, looks when the memory is opened, and forgets when it is closed', async () => {
    const holder = fakeHolder();
    holder.alerts = [overQuota];
    const watch = new AlertWatch(holder);
    assert.deepEqual([watch.alerts, holder.looks], [[], 0]);
    let changed = nextChange(watch);
    holder.open();
    await changed;
    assert.deepEqual([watch.alerts, holder.looks], [[overQuota], 1]);
    changed = nextChange(watch);
    holder.enter({ kind: 'closed' });
    await changed;
    assert.deepEqual(watch.alerts, []);
    watch.dispose();
  });

  it('names a memory that could not be opened', async () => {
    const holder = fakeHolder();
    const watch = new AlertWatch(holder);
    const changed = nextChange(watch);
    holder.enter({ kind: 'failed', error: new EngineError('storeFull', 'The disk is full.') });
    await changed;
    assert.deepEqual(
      watch.alerts.map(it => [it.kind, String(it.text)]),
      [['notOpen', 'The disk is full.']],
    );
    watch.dispose();
  });

  it('looks once for many changes, and sees that the cause is gone', async () => {
    const holder = fakeHolder();
    holder.alerts = [overQuota];
    const watch = new AlertWatch(holder, 20);
    let changed = nextChange(watch);
    holder.open();
    await changed;
    changed = nextChange(watch);
    holder.alerts = [];
    for (let i = 0; i < 100; i++) holder.change();
    await changed;
    assert.deepEqual([watch.alerts, holder.looks], [[], 2]);
    watch.dispose();
  });

  it('sees at once after an answer or a call of a model what fails in this program, without a look at the stores', async () => {
    const holder = fakeHolder();
    holder.alerts = [overQuota];
    const watch = new AlertWatch(holder);
    const changed = nextChange(watch);
    holder.open();
    await changed;
    const seen: (readonly string[])[] = [];
    watch.onDidChange(() => seen.push(watch.alerts.map(it => it.kind)));
    for (let i = 0; i < 100; i++) holder.answer();
    assert.deepEqual(seen, []);
    holder.programAlerts = [embeddingFailed];
    holder.answer();
    holder.useModel();
    holder.programAlerts = [];
    holder.useModel();
    assert.deepEqual(seen, [['overQuota', 'embeddingFailed'], ['overQuota']]);
    assert.equal(holder.looks, 1);
    watch.dispose();
  });

  it('has none once a person has seen them', async () => {
    const holder = fakeHolder();
    holder.alerts = [{ kind: 'manyRemoved', store: 'global', text: message`Much went.` }];
    const watch = new AlertWatch(holder);
    const changed = nextChange(watch);
    holder.open();
    await changed;
    await watch.confirm();
    assert.deepEqual(watch.alerts, []);
    watch.dispose();
  });
});
