import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

/** Last cells of the table of promises, each with the commands and tests that show one. */
function readProofs(): readonly string[] {
  const [, promises = ''] = readFileSync('SECURITY.md', 'utf8').split('## What is promised\n');
  const [table = ''] = promises.trimStart().split('\n\n');
  return table
    .split('\n')
    .slice(2)
    .map(it => it.split('|').at(-2)!);
}

describe('the promises of SECURITY.md', () => {
  it('each name a test of npm test or a bench that is there', () => {
    const proofs = readProofs();
    assert.ok(proofs.length > 30, String(proofs.length));
    for (const proof of proofs) {
      const named = [...proof.matchAll(/`([^`]+)`/gu)].map(it => it[1]!);
      assert.notEqual(named.length, 0, proof);
      for (const it of named) {
        const bench = /^npm run bench -- (\w+)/u.exec(it)?.[1];
        assert.ok(existsSync(bench === undefined ? it : `test/bench/${bench}.ts`), it);
        if (bench === undefined) assert.match(it, /^test\/(?:unit|cli|mcp|contracts|postgres)\/.*\.test\.ts$/u);
      }
    }
  });
});
