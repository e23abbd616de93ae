import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import { embeddingKeyId } from '../connect/endpointEnvironment.js';
import { commandIds, settingKeys, settingsSection } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { formatInteger } from '../l10n/labels.js';
import { describeEndpoint, hostOf } from '../ui/endpointStatus.js';
import { confirmModal } from '../ui/confirmModal.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';

export interface EmbeddingEndpointDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly secrets: vscode.SecretStorage;
  /** Embeds in the background what has no vector. */
  readonly embedInBackground: (engine: MemoryEngine) => void;
}

type Endpoint = NonNullable<MemoryEngine['embeddingEndpoint']>;

/**
 * "Embedding Endpoint…": consent, key and test of the server of the settings. Asks once per address whether texts may be sent
 * there, and says when a day's tokens are used up.
 */
export function registerEmbeddingEndpoint(dependencies: EmbeddingEndpointDependencies): vscode.Disposable {
  const { commands, engineHolder } = dependencies;
  commands.register(commandIds.embeddingEndpoint, () => manageEndpoint(dependencies));
  let hasAsked = false;
  let reportedDay: string | undefined;
  const report = async (endpoint: Endpoint): Promise<void> => {
    const status = await endpoint.status();
    if (!status.isAllowed && !hasAsked) {
      hasAsked = true;
      const message = vscode.l10n.t('{0} does not embed texts before you allow it. Nothing was sent.', hostOf(status));
      const title = vscode.l10n.t('Decide…');
      commands.notify(commandIds.embeddingEndpoint, {
        message,
        actions: [{ title, run: () => allow(dependencies, endpoint) }],
      });
    }
    if (status.waits?.isOverBudget === true && reportedDay !== status.today.day) {
      reportedDay = status.today.day;
      const message = vscode.l10n.t(
        'The embedding endpoint has used its {0} tokens of the day. Memories are found by words alone until {1}.',
        formatInteger(status.dailyTokens),
        status.waits.until.toLocaleString(),
      );
      commands.notify(commandIds.embeddingEndpoint, { message, severity: 'warning', actions: [openSettings()] });
    }
  };
  const reportCurrent = (): void => {
    const { state } = engineHolder;
    if (state.kind !== 'open' || state.engine.embeddingEndpoint === undefined) return;
    commands.runInBackground('embeddingEndpoint', report(state.engine.embeddingEndpoint));
  };
  return vscode.Disposable.from(
    engineHolder.onDidChangeState(reportCurrent),
    engineHolder.onDidUseModel(reportCurrent),
  );
}

async function manageEndpoint(dependencies: EmbeddingEndpointDependencies): Promise<void> {
  const { commands, engineHolder, secrets } = dependencies;
  const { embeddingEndpoint: endpoint } = await engineHolder.engine();
  if (endpoint === undefined) {
    const message = vscode.l10n.t('No embedding endpoint is in use: choose endpoint, and name its address and model.');
    commands.notify(commandIds.embeddingEndpoint, { message, actions: [openSettings()] });
    return;
  }
  const status = await endpoint.status();
  const keyId = embeddingKeyId(status.url);
  const hasKey = (await secrets.get(keyId)) !== undefined;
  const items = [
    ...(status.isAllowed
      ? [{ label: vscode.l10n.t('Test and Measure'), run: () => check(dependencies, endpoint) }]
      : [{ label: vscode.l10n.t('Allow…'), run: () => allow(dependencies, endpoint) }]),
    ...(status.isAllowed && !status.isLoopback
      ? [{ label: vscode.l10n.t('Take the Consent Back'), run: () => forbid(dependencies, endpoint) }]
      : []),
    {
      label: hasKey ? vscode.l10n.t('Set Another Key') : vscode.l10n.t('Set a Key'),
      run: () => setKey(dependencies, keyId, hostOf(status)),
    },
    ...(hasKey ? [{ label: vscode.l10n.t('Remove the Key'), run: async () => secrets.delete(keyId) }] : []),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Embedding Endpoint'),
    placeHolder: describeEndpoint(status),
  });
  await picked?.run();
}

async function allow(dependencies: EmbeddingEndpointDependencies, endpoint: Endpoint): Promise<void> {
  const status = await endpoint.status();
  const plain = status.url.startsWith('http:')
    ? vscode.l10n.t('The address is not encrypted: others on the way can read what is sent.')
    : '';
  const detail = vscode.l10n.t(
    'The text of your memories, of code that was indexed, and of questions is sent to {0}, and so is the key that you set for it. Texts with secrets or personal data stay here. You can take this back.',
    status.url,
  );
  const question = vscode.l10n.t('Let {0} embed your memories?', hostOf(status));
  const button = vscode.l10n.t('Allow');
  if (!(await confirmModal({ question, detail: `${detail} ${plain}`.trim(), button }))) return;
  await endpoint.setAllowed(true);
  await check(dependencies, endpoint);
}

async function forbid({ commands }: EmbeddingEndpointDependencies, endpoint: Endpoint): Promise<void> {
  await endpoint.setAllowed(false);
  const message = vscode.l10n.t('Nothing is sent any more. Memories are found by words alone.');
  commands.notify(commandIds.embeddingEndpoint, { message, actions: [openSettings()] });
}

async function check(
  { commands, engineHolder, embedInBackground }: EmbeddingEndpointDependencies,
  endpoint: Endpoint,
): Promise<void> {
  const title = vscode.l10n.t('Measuring the embedding model');
  const { name, dimensions } = await withProgress({ title }, ({ signal }) => endpoint.check(signal));
  const message = vscode.l10n.t('{0} answers, with {1} dimensions.', name, formatInteger(dimensions));
  commands.notify(commandIds.embeddingEndpoint, { message });
  embedInBackground(await engineHolder.engine());
}

async function setKey(dependencies: EmbeddingEndpointDependencies, keyId: string, host: string): Promise<void> {
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('Key of the Embedding Endpoint'),
    prompt: vscode.l10n.t('VS Code keeps it in its secret storage. It goes to {0} and nowhere else.', host),
    password: true,
    ignoreFocusOut: true,
    validateInput: value =>
      /^[\x21-\x7e]+$/u.test(value.trim())
        ? undefined
        : vscode.l10n.t('A key has no spaces and no accents. Copy it whole.'),
  });
  if (key === undefined) return;
  await dependencies.secrets.store(keyId, key.trim());
  const message = vscode.l10n.t('The key is kept.');
  dependencies.commands.notify(commandIds.embeddingEndpoint, { message });
}

function openSettings(): { readonly title: string; readonly run: () => unknown } {
  const query = `${settingsSection}.${settingKeys.embeddings}`;
  return {
    title: vscode.l10n.t('Open Settings'),
    run: () => vscode.commands.executeCommand('workbench.action.openSettings', query),
  };
}
