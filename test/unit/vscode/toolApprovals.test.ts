import assert from 'node:assert/strict';
import { ToolApprovals } from '../../../src/vscode/toolApprovals.js';

const input = { content: 'The ferry is called Perpetua.' };

/** What `take` says after `waitedMs` with these settings. */
function check(settings: Readonly<Record<string, unknown>>, waitedMs: number, expected: boolean): void {
  let now = 1_000;
  const approvals = new ToolApprovals(
    key => settings[key],
    () => now,
  );
  approvals.recordPrompt('recollect_remember', input);
  now += waitedMs;
  assert.equal(approvals.consumeApproval('recollect_remember', { ...input }), expected);
  assert.equal(approvals.consumeApproval('recollect_remember', input), false, 'one answer is good for one call');
}

describe('a confirmation', () => {
  it("is a person's when there was time to read it", () => {
    check({}, 300, true);
  });
  it("is nobody's when it came at once", () => {
    check({}, 299, false);
  });
  const inAdvance: readonly Readonly<Record<string, unknown>>[] = [
    { 'chat.tools.global.autoApprove': true },
    { 'chat.tools.global.autoApprove': { recollect_remember: true } },
    { 'chat.tools.autoApprove': true },
    { 'chat.permissions.default': 'autopilot' },
    { 'chat.defaultConfiguration': { approvals: 'allowAll' } },
  ];
  for (const settings of inAdvance) {
    it(`is nobody's with ${JSON.stringify(settings)}`, () => {
      check(settings, 5_000, false);
    });
  }
  it("is a person's when only other tools are approved in advance", () => {
    check({ 'chat.tools.global.autoApprove': { other: true }, 'chat.permissions.default': 'default' }, 5_000, true);
  });
  it("is nobody's for another text", () => {
    const approvals = new ToolApprovals(
      () => undefined,
      () => 0,
    );
    approvals.recordPrompt('recollect_remember', input);
    assert.equal(approvals.consumeApproval('recollect_remember', { content: 'Something else.' }), false);
  });
});
