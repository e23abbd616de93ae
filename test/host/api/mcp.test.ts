import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as vscode from 'vscode';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { settingKeys, settingsSection } from '../../../src/vscode/contributions.js';
import { createServerDefinition } from '../../../src/vscode/connect/mcpServerProvider.js';

import { chatTools, defaultMcpTools } from '../../../src/operations/registry.js';
import { waitUntil, globalStorageFolder, openOtherEngine } from './engineFixtures.js';

/** A separate bundle, because one with the SDK's code and ours does not start. */
const { listToolNames } = createRequire(__filename)('../mcpClient.js') as typeof import('../mcpClient.js');

const prefix = 'mcp_recollect_';
const offered = (): string[] =>
  vscode.lm.tools
    .map(it => it.name)
    .filter(it => it.startsWith(prefix))
    .sort();

async function start(): Promise<string[]> {
  const options = { waitForLiveTools: true, autoTrustChanges: true };
  await vscode.commands.executeCommand('workbench.mcp.startServer', '*', options);
  return offered();
}

describe('the MCP server in VS Code', () => {
  const setEnabled = (value: boolean | undefined): Thenable<void> =>
    vscode.workspace
      .getConfiguration(settingsSection)
      .update(settingKeys.mcpEnabled, value, vscode.ConfigurationTarget.Global);
  after(() => setEnabled(undefined));

  it('starts on the stores of the window, without the tools that the chat already has', async () => {
    await vscode.extensions.getExtension('recollect.recollect')!.activate();
    const expected = defaultMcpTools.filter(it => !chatTools.includes(it)).map(it => `${prefix}${it.name}`);
    // VS Code requests the definitions a moment after the registration.
    const started = await waitUntil(start, it => it.length > 0);
    assert.deepEqual(started, expected.sort(), vscode.lm.tools.map(it => it.name).join(' '));

    const engine = await openOtherEngine();
    try {
      await engine.remember({ content: 'Tide tables are printed in blue.', source: 'explicit', whole: true });
      const input = { limit: 1 };
      const { content } = await vscode.lm.invokeTool(`${prefix}list`, { input, toolInvocationToken: undefined });
      assert.match(JSON.stringify(content), /printed in blue/u);
    } finally {
      await engine.close();
    }
  });

  it('has the tools of any MCP client for an agent outside the window, which gets the unresolved definition', async () => {
    const installed = vscode.extensions.getExtension('recollect.recollect')!;
    const asAbsolutePath = (it: string): string => vscode.Uri.joinPath(installed.extensionUri, it).fsPath;
    const extension = installed as vscode.Extension<unknown>;
    const context = { extension, asAbsolutePath, globalStorageUri: vscode.Uri.file(globalStorageFolder()) };
    const { command, args, env } = createServerDefinition(context, { get: () => defaultConfig });
    // VS Code passes on to its Copilot agents only a server that asks the person for nothing.
    assert.doesNotMatch(JSON.stringify([command, args, env]), /\$\{input:/u);
    const stringsOnly = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
    assert.deepEqual(
      await listToolNames({ command, args, env: stringsOnly }),
      defaultMcpTools.map(it => it.name),
    );
  });

  it('is not provided when the setting is off', async () => {
    await setEnabled(false);
    assert.deepEqual(
      await waitUntil(
        () => Promise.resolve(offered()),
        it => it.length === 0,
      ),
      [],
    );
  });
});
