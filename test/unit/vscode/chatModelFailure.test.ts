import assert from 'node:assert/strict';
import {
  classifyChatFailure,
  noChatModelFailure,
  consentMissingFailure,
} from '../../../src/vscode/chatModelFailure.js';

const memory = 'We deploy on Tuesdays.';

/** An error like VS Code's: its own code, and the provider's text in the message or a cause. */
function thrown(code: string, message: string, cause?: string): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause: new Error(cause) }), { code });
}

/** @param expected `refused`, or the code and the next step */
function check(error: unknown, expected: string): void {
  const failure = classifyChatFailure(error, 'GPT mini');
  const named = /recollect\.model\.name|Test Language Model|Try again later/u;
  const found = failure.kind === 'refused' ? 'refused' : `${failure.code}: ${named.exec(failure.message)?.[0] ?? ''}`;
  assert.equal(found, expected);
  assert.ok(!JSON.stringify(failure).includes(memory));
}

describe('the failure of a chat model', () => {
  it('recognizes a missing consent', () => {
    check(thrown('NoPermissions', memory), 'modelAccessDenied: Test Language Model');
  });
  it('recognizes a model that no longer exists', () => {
    check(thrown('NotFound', memory), 'modelAccessDenied: recollect.model.name');
  });
  it('recognizes a rate limit', () => {
    check(thrown('Blocked', memory), 'modelUnavailable: Try again later');
    check(thrown('ChatQuotaExceeded', 'You have exceeded your quota'), 'modelUnavailable: Try again later');
    check(thrown('Unknown', '', 'Request failed: 429 Too Many Requests'), 'modelUnavailable: Try again later');
  });
  it('recognizes a refusal', () => {
    check(thrown('Unknown', memory, 'off_topic'), 'refused');
    check(new Error('Response contained no choices: content filter'), 'refused');
  });
  it('does not pass on the text of any other error', () => {
    check(thrown('Unknown', memory, memory), 'modelUnavailable: recollect.model.name');
    check(memory, 'modelUnavailable: recollect.model.name');
    check(undefined, 'modelUnavailable: recollect.model.name');
  });
  it('names the next step where nothing was sent', () => {
    for (const it of [noChatModelFailure(''), noChatModelFailure('gpt-9'), consentMissingFailure('GPT mini')]) {
      assert.ok(it.kind === 'failed' && it.code === 'modelAccessDenied');
      assert.match(it.message, /recollect\.model\.provider|Test Language Model/u);
    }
  });
});
