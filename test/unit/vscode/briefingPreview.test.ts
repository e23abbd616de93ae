import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { handoverTag } from '../../../src/engine/model/briefing.js';
import { hookMoments, type HookMoment } from '../../../src/engine/model/guards.js';
import { loadSessionStartContext } from '../../../src/engine/hooks/sessionStartContext.js';
import { appendAccesses, sessionStarted } from '../../../src/engine/access/accessLog.js';
import { readFileConfig, writeClientSetting } from '../../../src/engine/access/settingsFile.js';
import { readBriefingView, switchMoment } from '../../../src/vscode/inspector/briefingPreview.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';

describe('what an assistant gets, as the inspector shows it,', () => {
  let host: TestHost;
  let folder: string;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost();
    host.time = Date.now();
    folder = path.join(temporaryFolder(), 'harbour');
    mkdirSync(folder);
    host.workspaceFolders = [folder];
    engine = await host.open();
  });

  const view = (program?: 'claude-code' | 'codex') =>
    readBriefingView(host.dataDir, program, {
      modelsDir: host.modelsDir,
      folder,
      installed: ['claude-code'],
      localize: it => `said: ${String(it)}`,
    });
  const put = (moment: HookMoment, on: boolean) => switchMoment(host.dataDir, engine, { moment, on });

  it('is the lines of a session that starts now, with their reasons, and what is left out', async () => {
    const rule = await storeMemory(engine, 'Never deploy on Fridays.', { store: 'project', gate: 'behavioral' });
    await storeMemory(engine, 'The pier is painted by Inger.', { store: 'project', gate: 'relational', lane: 'note' });
    writeFileSync(path.join(folder, 'CLAUDE.md'), '- Name branches after tides.\n');
    await storeMemory(engine, 'Name branches after tides.', { store: 'project', gate: 'behavioral' });
    const { lines, leftOut, others, tokens, refused, moments, notices } = await view();
    const { dataDir, modelsDir } = host;
    const request = { dataDir, modelsDir, folders: [folder], onlyStore: undefined, client: 'hook' };
    const rules = host.settings.decay;
    const more = { program: 'claude-code', now: new Date(), rules, tokenBudget: 1_000 } as const;
    const given = await loadSessionStartContext({ ...request, ...more });
    assert.deepEqual(
      lines.map(it => [it.id, it.block, it.reason, given.includes(it.text)]),
      [[rule, 'standing', 'said: a rule, confirmed', true]],
    );
    assert.deepEqual(
      leftOut.map(it => [it.content, it.reason]),
      [['Name branches after tides.', 'readByProgram']],
    );
    assert.deepEqual([others, tokens > 0, refused, moments, notices], [1, true, false, hookMoments, []]);
    assert.deepEqual((await view('codex')).leftOut, []);
  });

  it('shows the first program on the machine, and says whether a hook of it ever ran', async () => {
    const state = async (program?: 'codex') => {
      const { program: shown, isInstalled, hasAsked } = await view(program);
      return [shown, isInstalled, hasAsked];
    };
    assert.deepEqual(
      [await state(), await state('codex')],
      [
        ['claude-code', true, false],
        ['codex', false, false],
      ],
    );
    const at = new Date();
    await appendAccesses(host.dataDir, [{ client: 'hook', via: sessionStarted, at, memories: [] }]);
    assert.deepEqual(await state(), ['claude-code', true, true]);
  });

  it('is nothing for a program that may not read', async () => {
    await writeClientSetting(host.dataDir, 'hook:codex', { access: 'none' });
    assert.deepEqual([(await view('codex')).refused, (await view()).refused], [true, false]);
  });

  it('switches each moment in the settings file, and notes that; all on is the default again', async () => {
    await Promise.all([put('prompt', false), put('failure', false)]);
    const off = hookMoments.filter(it => it !== 'prompt' && it !== 'failure');
    assert.deepEqual([(await view()).moments, readFileConfig(host.dataDir).hooks.moments], [off, off]);
    await put('failure', true);
    await put('prompt', true);
    assert.deepEqual((await view()).moments, hookMoments);
    assert.equal(readFileSync(path.join(host.dataDir, 'settings.json'), 'utf8').includes('hooks'), false);
    const changes = await engine.activity.settingChanges();
    assert.deepEqual(
      changes.map(it => it.detail.setting),
      Array.from({ length: 4 }, () => 'hooks.moments'),
    );
  });

  it('gives no hand-over where that is switched off, and keeps it for when it is on', async () => {
    await storeMemory(engine, 'Open: the tide parser.', { store: 'project', tags: [handoverTag] });
    const blocks = async (): Promise<readonly string[]> => (await view()).lines.map(it => it.block);
    await put('handover', false);
    assert.deepEqual(await blocks(), []);
    await put('handover', true);
    assert.deepEqual(await blocks(), ['handover']);
  });
});
