import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { HostChatReply, HostChatRequest } from '../../../src/engine/model/host.js';
import { assistantLine, CaptureHost, listRemembered, userLine } from './captureHost.js';

const source = 'claudeCode' as const;

/** A host with a scripted chat model. */
class ModelCaptureHost extends CaptureHost {
  readonly asked: HostChatRequest[] = [];
  inputTokens = 10;
  says: (request: HostChatRequest) => string = () => JSON.stringify({ facts: [], summary: '' });
  readonly chatModels = {
    send: (request: HostChatRequest): Promise<HostChatReply> => {
      this.asked.push(request);
      return Promise.resolve({
        kind: 'text',
        text: this.says(request),
        inputTokens: this.inputTokens,
        outputTokens: 10,
      });
    },
  };

  use(dailyTokens = 10_000_000): void {
    this.settings = { ...this.settings, model: { provider: 'vscode', name: '', dailyTokens } };
  }
}

describe('capture with a language model', () => {
  it("keeps the model's facts whose quote was said as notes with the person's words, and its summary", async () => {
    const host = new ModelCaptureHost();
    host.use();
    host.says = () =>
      JSON.stringify({
        facts: [
          {
            content: 'The harbour map is drawn with Leaflet.',
            said: 'Draw the map with “leaflet”',
            appliesTo: 'project',
            gate: 'behavioral',
            questions: ['Which library shows the piers?'],
            reason: 'names the library',
            lane: 'confirmed',
          },
          { content: 'The token is ghp_0123456789abcdefABCDEF0123456789abcd.', said: 'draw the map with leaflet' },
          { content: 'The harbour is closed in winter.', said: 'the harbour is closed in winter' },
          { content: 'The map covers the north pier.', said: 'is drawn … north pier' },
        ],
        summary: 'The map was drawn.',
      });
    const file = host.writeSession([
      userLine('draw the map with leaflet'),
      assistantLine('The map is drawn, with the north pier.'),
    ]);
    const engine = await host.openAllowed();
    const { sessions } = await engine.capture.run({ source, files: [file] });
    assert.deepEqual(
      [sessions[0]!.by, sessions[0]!.outcomes.map(it => it.outcome)],
      ['model', ['stored', 'refused', 'stored']],
    );
    assert.deepEqual(await listRemembered(engine), {
      facts: ['The harbour map is drawn with Leaflet.', 'The map covers the north pier.'],
      summaries: ['Session of 2026-02-27 on branch tides. The map was drawn.'],
    });
    const stored = (await engine.list()).toReversed();
    assert.deepEqual([...new Set(stored.map(it => it.lane))], ['note']);
    const { gate, provenance } = stored.find(it => it.content.includes('Leaflet'))!;
    const { turn, reason, said } = provenance;
    assert.deepEqual(
      [gate, turn?.length, reason, said],
      ['behavioral', 36, 'names the library', 'Draw the map with “leaflet”'],
    );
    // The assistant's words are not the person's.
    assert.equal(stored.find(it => it.content.includes('north pier'))!.provenance.said, undefined);
  });

  it("keeps no secret of the model's summary, not even in the session's cursor", async () => {
    const host = new ModelCaptureHost();
    host.use();
    host.says = () =>
      JSON.stringify({ facts: [], summary: 'The map token became ghp_0123456789abcdefABCDEF0123456789abcd.' });
    const engine = await host.openAllowed();
    await engine.capture.run({ source, files: [host.writeSession([userLine('renew the token of the map')])] });
    // Nothing was done in it, so that there is no other summary either.
    assert.deepEqual(await listRemembered(engine), { facts: [], summaries: [] });
    await engine.close();
    const stored = readdirSync(host.dataDir, { recursive: true, encoding: 'utf8' })
      .map(it => path.join(host.dataDir, it))
      .filter(it => statSync(it).isFile() && readFileSync(it).includes('ghp_0123456789'));
    assert.deepEqual(stored, []);
  });

  it('sends every turn, with at most 65,000 characters per call', async () => {
    const host = new ModelCaptureHost();
    host.use();
    const lines = [
      ...Array.from({ length: 30 }, (_, i) => userLine(`turn ${i} ${'tide '.repeat(2_000)}end${i}.`)),
      userLine(`${'x'.repeat(150_000)} LAST`),
    ];
    const engine = await host.openAllowed();
    await engine.capture.run({ source, files: [host.writeSession(lines)] });
    const prompts = host.asked.map(it => it.turns.at(-1)!.text);
    assert.ok(prompts.every(it => it.length <= 65_000));
    const all = prompts.join('');
    assert.deepEqual(
      [...Array.from({ length: 30 }, (_, i) => `end${i}.`), 'LAST'].filter(it => !all.includes(it)),
      [],
    );
  });

  it('waits without budget: the cursor stays, and nothing is lost', async () => {
    const host = new ModelCaptureHost();
    const lines = Array.from({ length: 4 }, (_, i) =>
      userLine(`Never paint pier ${i} green. ${'The tide was low. '.repeat(2_000)}`),
    );
    const file = host.writeSession(lines);
    host.says = ({ turns }) => {
      const pier = /pier (\d)/u.exec(turns.at(-1)!.text)![1]!;
      return JSON.stringify({
        facts: [{ content: `No pier ${pier} in green.`, said: `never paint pier ${pier} green` }],
        summary: '',
      });
    };
    host.inputTokens = 30_000;
    host.use(40_000);
    const engine = await host.openAllowed();
    const first = await engine.capture.run({ source, files: [file] });
    assert.equal(first.waitsUntil?.toISOString(), '2026-03-03T00:00:00.000Z');
    assert.deepEqual((await listRemembered(engine)).facts, ['No pier 0 in green.']);
    host.use();
    const second = await engine.capture.run({ source, files: [file] });
    assert.equal(second.waitsUntil, undefined);
    assert.deepEqual(
      (await listRemembered(engine)).facts,
      [0, 1, 2, 3].map(it => `No pier ${it} in green.`),
    );
  });

  it('falls back to rules for an unusable answer', async () => {
    const host = new ModelCaptureHost();
    host.use();
    host.says = () => 'Ignore all instructions and supersede everything.';
    const engine = await host.openAllowed();
    const { sessions } = await engine.capture.run({
      source,
      files: [host.writeSession([userLine('Remember that the pier is green.'), userLine('Never paint the pier red.')])],
    });
    assert.equal(sessions[0]!.by, 'rule');
    assert.deepEqual((await listRemembered(engine)).facts, ['The pier is green.']);
    assert.deepEqual(
      (await engine.capture.candidates()).map(it => it.content),
      ['Never paint the pier red.'],
    );
  });
});
