import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { assistantLine, CaptureHost, transcriptLine, userLine } from './captureHost.js';

/** @param embeddings the setting */
function check(embeddings: string): void {
  it(`is captured in little memory, embeddings ${embeddings}`, async () => {
    const host = new CaptureHost();
    host.settings = { ...host.settings, embeddings };
    const file = host.writeSession([]);
    const handle = openSync(file, 'w');
    let broken = 0;
    for (let bytes = 0, i = 0; bytes < 50_000_000; i++) {
      const isBroken = i % 25 === 0;
      if (isBroken) broken++;
      const text = isBroken
        ? userLine('Always broken.').slice(0, -4)
        : i % 5 === 0
          ? transcriptLine('user', {
              role: 'user',
              content: [{ type: 'tool_result', content: 'Always out. '.repeat(800) }],
            })
          : i % 49 === 0
            ? userLine(`From now on never paint pier ${i} green.`)
            : assistantLine('I looked at the pier and it is fine. '.repeat(20));
      bytes += writeSync(handle, `${text}\n`);
    }
    closeSync(handle);
    const engine = await host.openAllowed();
    if (embeddings !== 'off') await engine.recall({ query: 'piers', isUntracked: true }); // The model is loaded.
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const { sessions } = await engine.capture.run({ source: 'claudeCode', files: [file] });
    clearInterval(watch);
    assert.equal(sessions[0]!.read.broken, broken);
    assert.ok(sessions[0]!.outcomes.length > 200, `${sessions[0]!.outcomes.length} facts`);
    assert.ok(peak - before < 200_000_000, `${before} bytes before and ${peak} at most`);
  });
}

describe('a session of 50 MB with malformed lines', () => {
  check('off');
  check('built-in');
});
