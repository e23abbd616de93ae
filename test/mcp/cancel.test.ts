import assert from 'node:assert/strict';
import type { Trace } from '../../src/engine/model/trace.js';
import { memoryInput } from '../support/fixtures.js';
import { connectClient, eras, openOtherEngine, sayYes } from './mcpClient.js';

/** More than a run of maintenance reads at once. */
const memories = 1_200;

for (const era of eras) {
  describe(`long work of an MCP server, ${era} protocol`, () => {
    it('reports progress and stops when the client cancels it', async () => {
      const server = await connectClient({ era, answerElicitation: sayYes });
      const engine = await openOtherEngine(server);
      await engine.rememberAll(
        Array.from({ length: memories }, (_, i) =>
          memoryInput(`Buoy ${i} lies ${(i * 37) % 1_013} metres from the pier.`),
        ),
      );

      const controller = new AbortController();
      const messages: string[] = [];
      const call = server.client.callTool(
        { name: 'maintain', arguments: { dryRun: false, scope: 'global-only' } },
        {
          signal: controller.signal,
          onprogress: ({ message = '' }) => {
            messages.push(message);
            if (message.startsWith('global memory')) controller.abort('The user pressed stop.');
          },
        },
      );
      await assert.rejects(call, /pressed stop|abort|cancel/iu);
      assert.equal(messages[0], 'Maintaining the memory');
      assert.match(messages.at(-1) ?? '', /^global memory: \w+, \d+ of \d+$/u);

      // The next call is answered when the engine is free again; the run was given up on the way.
      const next = await server.call('maintain', { dryRun: true, scope: 'global-only' });
      assert.ok(!next.failed, next.text);
      const [run] = await engine.maintenance.runs();
      assert.deepEqual([run?.status, (run?.processed ?? memories) < memories], ['cancelled', true]);
      assert.equal((await server.call('recall', { query: 'buoy 17' })).failed, false);
    });

    it('sends no answer to a canceled recall and records no trace of it', async () => {
      const server = await connectClient({ era });
      const engine = await openOtherEngine(server);
      await engine.remember(memoryInput('The lighthouse keeper is called Solveig.'));
      const answers: unknown[] = [];
      const { transport } = server.client;
      const receive = transport!.onmessage!.bind(transport);
      transport!.onmessage = (message, extra) => {
        if ('id' in message && !('method' in message)) answers.push(message.id);
        receive(message, extra);
      };

      // The first recall waits until the embedding model is loaded.
      const controller = new AbortController();
      const call = server.client.callTool(
        { name: 'recall', arguments: { query: 'who keeps the lighthouse' } },
        {
          signal: controller.signal,
          onprogress: () => {
            controller.abort('The user pressed stop.');
          },
        },
      );
      await assert.rejects(call, /pressed stop|abort|cancel/iu);
      const next = await server.call('recall', { query: 'lighthouse keeper' });
      assert.match(next.text, /Solveig/u);
      assert.equal(answers.length, 1);
      // They are written a moment later, all of them together.
      let traces: readonly Trace[] = [];
      while (traces.length === 0) {
        await new Promise(resolve => setTimeout(resolve, 50));
        traces = await engine.traces();
      }
      assert.deepEqual(
        traces.map(it => it.query),
        ['lighthouse keeper'],
      );
    });
  });
}
