import assert from 'node:assert/strict';
import { codeWeight, isSupportingCode } from '../../../src/engine/scoring/codeWeight.js';

describe('code weight', () => {
  for (const [path, symbol] of [
    ['tests/harbor_test.go', undefined],
    ['src/test/java/org/port/HarborTest.java', 'HarborTest.moors'],
    ['spec/harbor_spec.rb', undefined],
    ['lib/harbor.spec.ts', undefined],
    ['examples/mooring/main.py', 'main'],
    ['benches/tides.rs', undefined],
    ['Harbor.UnitTests/HarborTests.cs', undefined],
    ['src/harbor.rs', 'tests.moors_at_low_tide'],
    ['third_party/zlib/inflate.c', undefined],
    ['integration-tests/run.js', undefined],
  ] as const) {
    it(`ranks ${path} ${symbol ?? ''} behind, as code that supports the product`, () => {
      assert.ok(isSupportingCode({ path, symbol }));
    });
  }

  for (const [path, symbol] of [
    ['src/latest.ts', 'fetchLatest'],
    ['src/contest/board.py', 'Contest.score'],
    ['src/harbor.rs', 'Harbor.attest'],
    ['lib/protest.rb', undefined],
    ['src/helper/testing/index.ts', 'testClient'],
    ['src/transport/base.py', 'Transport'],
  ] as const) {
    it(`ranks ${path} ${symbol ?? ''} as product code`, () => {
      assert.ok(!isSupportingCode({ path, symbol }));
    });
  }

  it('leaves tests in their place when the question is about tests', () => {
    const place = { path: 'test/tides.test.ts', symbol: undefined };
    assert.equal(codeWeight(place, 'which test covers the spring tide'), 1);
    assert.ok(codeWeight(place, 'when is the spring tide') < 1);
  });
});
