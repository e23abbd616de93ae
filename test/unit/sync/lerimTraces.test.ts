import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { SyncReport } from '../../../src/engine/model/sync.js';
import { assistantLine, CaptureHost, editLine, sessionId, transcriptLine, userLine } from '../capture/captureHost.js';

const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
const traceName = `meta/traces/sessions/claude/${sessionId}.jsonl`;

describe('the transcripts and reports in a lerim folder', () => {
  let host: CaptureHost;
  let engine: MemoryEngine;
  let file: string;
  beforeEach(async () => {
    host = new CaptureHost({ project: true });
    file = host.writeSession([
      userLine('From now on, name every pier file in kebab-case.'),
      editLine('/work/harbour/src/board.ts'),
      transcriptLine('user', { role: 'user', content: [{ type: 'tool_result', content: 'contents of .env' }] }),
      userLine(`The token is ${secret}, keep it in the vault.`),
      userLine('My date of birth is 12 May 1984, for the invoice.'),
      assistantLine('The pier files are in kebab-case now.'),
    ]);
    engine = await host.openAllowed();
    await engine.capture.run({ source: 'claudeCode', files: [file] });
  });
  const inFolder = (name: string): string => path.join(host.workspaceFolders[0]!, '.lerim', name);
  const sync = (options = {}): Promise<SyncReport> => engine.sync.run({ mirror: '.lerim', traces: true, ...options });
  const turns = (): readonly { readonly type: string; readonly text?: string }[] =>
    readFileSync(inFolder(traceName), 'utf8')
      .trimEnd()
      .split('\n')
      .map(it => JSON.parse(it) as { type: string; text?: string });

  it('are there only where they are asked for', async () => {
    await sync({ traces: false });
    assert.deepEqual(readdirSync(inFolder('.')), ['memory']);
    const preview = await sync({ dryRun: true });
    assert.equal(preview.traces, 1);
    assert.deepEqual(readdirSync(inFolder('.')), ['memory']);
  });

  it('hold what was said, without tool results, secrets and personal data', async () => {
    const report = await sync();
    assert.equal(report.traces, 1);
    assert.deepEqual(
      turns().map(({ type, text }) => [type, text]),
      [
        ['transcript', undefined],
        ['user', 'From now on, name every pier file in kebab-case.'],
        ['user', turns()[2]!.text],
        ['user', '[personal data]'],
        ['assistant', 'The pier files are in kebab-case now.'],
      ],
    );
    assert.match(turns()[2]!.text!, /^The token is \[secret: [^\]]+\], keep it in the vault\.$/u);
    assert.ok(!readFileSync(inFolder(traceName), 'utf8').includes(secret));
    const summary = report.steps.find(it => it.name.startsWith('summaries/'))!;
    assert.match(
      readFileSync(inFolder(`memory/${summary.name}`), 'utf8'),
      new RegExp(`^raw_trace_path: ${traceName}$`, 'mu'),
    );
  });

  it('follow a session that goes on, and stay when its file is gone', async () => {
    await sync();
    writeFileSync(file, `${userLine('We moved to pnpm.')}\n`, { flag: 'a' });
    await sync();
    assert.equal(turns().at(-1)?.text, 'We moved to pnpm.');
    rmSync(file);
    const { refused, traces } = await sync();
    assert.deepEqual([traces, refused.map(it => it.name)], [0, [traceName]]);
    assert.equal(turns().at(-1)?.text, 'We moved to pnpm.');
  });

  it('leave a transcript that another program wrote as it is', async () => {
    mkdirSync(path.dirname(inFolder(traceName)), { recursive: true });
    writeFileSync(inFolder(traceName), '{"raw":true}\n');
    const { refused } = await sync();
    assert.deepEqual(refused, [{ name: traceName, reason: 'Another program wrote it, so it stays as it is.' }]);
    assert.equal(readFileSync(inFolder(traceName), 'utf8'), '{"raw":true}\n');
  });

  it('say what a sync and each maintenance run did, by ids', async () => {
    const { steps } = await sync();
    await engine.maintenance.run();
    await sync();
    const reports = readdirSync(inFolder('workspace')).sort();
    assert.deepEqual(
      reports.map(it => it.replace(/-[0-9a-f]{8}$/u, '-ID')),
      ['maintain-20260302-090000-ID', 'sync-20260302-090000'],
    );
    const read = (name: string): unknown => JSON.parse(readFileSync(inFolder(`workspace/${name}`), 'utf8'));
    const written = read(`${reports[1]!}/memory_actions.json`) as { steps: unknown };
    assert.deepEqual(written.steps, JSON.parse(JSON.stringify(steps)));
    const maintained = read(`${reports[0]!}/maintain_actions.json`) as { status: string };
    assert.equal(maintained.status, 'finished');
  });

  it('belong in a lerim folder alone', async () => {
    await assert.rejects(sync({ mirror: 'notes' }), /Transcripts and reports belong in a folder named \.lerim/u);
    assert.ok(!existsSync(path.join(host.workspaceFolders[0]!, 'notes')));
  });
});
