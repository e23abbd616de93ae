import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readSecurityPromises } from '../../support/securityPromises.js';

describe('the promises of SECURITY.md', () => {
  it('each name a test of npm test or a bench that is there', () => {
    const promises = readSecurityPromises();
    assert.ok(promises.length > 30, String(promises.length));
    for (const { promise, proofs } of promises) {
      assert.notEqual(proofs.length, 0, promise);
      for (const it of proofs) {
        const bench = /^npm run bench -- (\w+)/u.exec(it)?.[1];
        assert.ok(existsSync(bench === undefined ? it : `test/bench/${bench}.ts`), it);
        if (bench === undefined) assert.match(it, /^test\/(?:unit|cli|mcp|contracts|postgres)\/.*\.test\.ts$/u);
      }
    }
  });
});
