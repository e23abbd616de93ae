import assert from 'node:assert/strict';
import { ToolApprovals } from '../../../src/vscode/toolApprovals.js';

const input = { id: '1f3c9a20' };

/** Asserts the result of consumeApproval() `waitedMs` after the prompt with these settings. */
function check(settings: Readonly<Record<string, unknown>>, waitedMs: number, expected: boolean): void {
  let now = 1_000;
  const approvals = new ToolApprovals(
    key => settings[key],
    () => now,
  );
  approvals.recordPrompt('recollect_forget', input);
  now += waitedMs;
  assert.equal(approvals.consumeApproval('recollect_forget', { ...input }), expected);
  assert.equal(approvals.consumeApproval('recollect_forget', input), false, 'one approval is good for one call');
}

describe('ToolApprovals', () => {
  it("counts an approval after the minimum reading time as the user's", () => {
    check({}, 300, true);
  });
  it('counts a faster approval as automatic', () => {
    check({}, 299, false);
  });
  const autoApproveSettings: readonly Readonly<Record<string, unknown>>[] = [
    { 'chat.tools.global.autoApprove': true },
    { 'chat.tools.global.autoApprove': { recollect_forget: true } },
    { 'chat.tools.autoApprove': true },
    { 'chat.permissions.default': 'autopilot' },
    { 'chat.defaultConfiguration': { approvals: 'allowAll' } },
  ];
  for (const settings of autoApproveSettings) {
    it(`counts an approval as automatic with ${JSON.stringify(settings)}`, () => {
      check(settings, 5_000, false);
    });
  }
  it("counts an approval as the user's when only other tools are auto-approved", () => {
    check({ 'chat.tools.global.autoApprove': { other: true }, 'chat.permissions.default': 'default' }, 5_000, true);
  });
  it('does not transfer an approval to another input', () => {
    const approvals = new ToolApprovals(
      () => undefined,
      () => 0,
    );
    approvals.recordPrompt('recollect_forget', input);
    assert.equal(approvals.consumeApproval('recollect_forget', { id: '77ab01ce' }), false);
  });
});
