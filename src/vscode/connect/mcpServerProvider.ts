import * as vscode from 'vscode';
import { mcpProviderId, settingKeys, settingsSection, toolNames, toolPrefix } from '../contributions.js';
import { localWorkspaceFolders, type CachedConfig } from '../engineHost.js';
import { endpointEnvironment, withEndpointKey } from './endpointEnvironment.js';

/**
 * Contributes `recollect mcp`, on the stores of this window, as an MCP server. VS Code starts it when an agent needs
 * it.
 */
export function registerMcpServerProvider(context: vscode.ExtensionContext, config: CachedConfig): vscode.Disposable {
  const changeEmitter = new vscode.EventEmitter<void>();
  const isEnabled = (): boolean =>
    vscode.workspace.getConfiguration(settingsSection).get(settingKeys.mcpEnabled) !== false;
  return vscode.Disposable.from(
    changeEmitter,
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      changeEmitter.fire();
    }),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration(settingsSection)) changeEmitter.fire();
    }),
    vscode.lm.registerMcpServerDefinitionProvider(mcpProviderId, {
      onDidChangeMcpServerDefinitions: changeEmitter.event,
      provideMcpServerDefinitions: () => (isEnabled() ? [createServerDefinition(context, config)] : []),
      resolveMcpServerDefinition: (server: vscode.McpStdioServerDefinition) =>
        addEndpointKey(excludeChatTools(server), context),
    }),
  );
}

/** The definition of the server with all of its tools. Also works outside this window. */
export function createServerDefinition(
  context: Pick<vscode.ExtensionContext, 'extension' | 'asAbsolutePath' | 'globalStorageUri'>,
  config: Pick<CachedConfig, 'get'>,
): vscode.McpStdioServerDefinition {
  const { version } = context.extension.packageJSON as { readonly version: string };
  return new vscode.McpStdioServerDefinition(
    'Recollect',
    process.execPath,
    [
      context.asAbsolutePath('dist/cli.js'),
      'mcp',
      '--data-dir',
      context.globalStorageUri.fsPath,
      '--embeddings',
      config.get().embeddings,
      ...localWorkspaceFolders().flatMap(it => ['--project', it]),
    ],
    {
      // `execPath` may be Electron, which runs as Node with this variable.
      ...(process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
      ...endpointEnvironment(config.get()),
    },
    version,
  );
}

/** Only for a server that this window starts: the key must not be handed to other programs with the definition. */
async function addEndpointKey(
  server: vscode.McpStdioServerDefinition,
  { secrets }: Pick<vscode.ExtensionContext, 'secrets'>,
): Promise<vscode.McpStdioServerDefinition> {
  server.env = await withEndpointKey(server.env, secrets);
  return server;
}

/**
 * Excludes the tools that the chats of this window have already. VS Code resolves a definition only when this window
 * starts the server; agents outside (Copilot CLI, Claude, Codex as of 1.139) get it as it was provided.
 */
function excludeChatTools(server: vscode.McpStdioServerDefinition): vscode.McpStdioServerDefinition {
  server.args = [...server.args, '--without', ...toolNames.map(it => it.slice(toolPrefix.length))];
  return server;
}
