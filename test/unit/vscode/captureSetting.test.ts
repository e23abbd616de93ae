import assert from 'node:assert/strict';
import { enabledCaptureSources } from '../../../src/vscode/captureSetting.js';

describe('the setting for captured sources', () => {
  const enabled = (settings: Readonly<Record<string, unknown>>): readonly string[] =>
    enabledCaptureSources(key => settings[key]);

  it('carries the values of the two former settings over, and never widens them', () => {
    const former = { 'capture.claudeCode': true, 'capture.vscodeChat': false };
    assert.deepEqual(
      [
        enabled({}),
        enabled(former),
        enabled({ 'capture.vscodeChat': true }),
        enabled({ ...former, 'capture.sources': [] }),
        enabled({ ...former, 'capture.sources': ['codex'] }),
        enabled({ 'capture.sources': 'codex' }),
        enabled({ 'capture.sources': ['specStory', 'elsewhere', 'opencode'] }),
      ],
      [[], ['claudeCode'], ['vscodeChat'], [], ['codex'], [], ['opencode', 'specStory']],
    );
  });
});
