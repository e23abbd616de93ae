import assert from 'node:assert/strict';
import path from 'node:path';
import type { CallTracker } from '../../../src/engine/store/callTracker.js';
import { message } from '../../../src/engine/base/localizableMessage.js';
import { readOnlyError } from '../../../src/engine/database/driverErrors.js';
import { addDamageNotice } from '../../../src/engine/store/sqlite/damageNotices.js';
import { metricsTool } from '../../../src/operations/metrics.js';
import { TestHost } from '../../support/fixtures.js';

describe('the tool metrics', () => {
  it('names what wants the eye of the user by kind and store, and no path', async () => {
    const host = new TestHost();
    await (await host.open()).close();
    await addDamageNotice(path.dirname(host.globalFile), message`The memory store ${host.globalFile} was damaged.`);
    const engine = await host.open();
    const { calls } = engine as unknown as { readonly calls: CallTracker };
    await assert.rejects(calls.change(() => Promise.reject(readOnlyError(host.globalFile))));
    assert.ok((await engine.maintenance.alerts()).every(it => String(it.text).includes(host.globalFile)));
    const { text, structured } = await metricsTool.run(engine, {}, { source: 'mcp' });
    const { alerts } = structured as { alerts: readonly { kind: string; store?: string; text: string }[] };
    assert.deepEqual(
      alerts.map(it => [it.kind, it.store]),
      [
        ['storeDamaged', 'global'],
        ['writeFailed', undefined],
      ],
    );
    assert.match(text, /^Attention, global memory: The store was damaged: \S/mu);
    assert.match(text, /^Attention: The last change was not stored: \S/mu);
    assert.ok(!JSON.stringify([text, structured]).includes(path.basename(host.globalFile)));
  });
});
