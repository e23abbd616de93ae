import * as vscode from 'vscode';
import type { ModelProviderName } from '../../engine/model/config.js';
import type { ModelTest } from '../../engine/model/modelStatus.js';
import { sharedMessages } from '../../engine/model/sharedMessages.js';
import { commandIds, secretIds, settingKeys, settingsSection } from '../contributions.js';
import type { CachedConfig } from '../engineHost.js';
import type { EngineHolder } from '../engineHolder.js';
import { localize } from '../l10n/engineMessages.js';
import { formatCost, formatInteger } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';

export interface LanguageModelDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly config: CachedConfig;
  readonly secrets: vscode.SecretStorage;
}

/** Commands that set the API key of Anthropic, and test the language model with one request. */
export function registerLanguageModel(dependencies: LanguageModelDependencies): void {
  dependencies.commands.register(commandIds.setApiKey, () => setApiKey(dependencies));
  dependencies.commands.register(commandIds.testModel, () => testModel(dependencies));
}

async function setApiKey({ commands, config, secrets }: LanguageModelDependencies): Promise<void> {
  if ((await secrets.get(secretIds.anthropicApiKey)) !== undefined) {
    const remove = vscode.l10n.t('Remove the key');
    const choice = await vscode.window.showQuickPick([vscode.l10n.t('Set another key'), remove], {
      title: vscode.l10n.t('Anthropic API Key'),
      placeHolder: vscode.l10n.t('A key is set'),
    });
    if (choice === undefined) return;
    if (choice === remove) {
      await secrets.delete(secretIds.anthropicApiKey);
      commands.notify(commandIds.setApiKey, { message: vscode.l10n.t('The Anthropic API key is removed.') });
      return;
    }
  }
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('Anthropic API Key'),
    prompt: vscode.l10n.t('VS Code keeps it in its secret storage. It goes to Anthropic and nowhere else.'),
    placeHolder: 'sk-ant-…',
    password: true,
    ignoreFocusOut: true,
    validateInput: value =>
      isAnthropicApiKey(value)
        ? undefined
        : vscode.l10n.t('A key begins with sk-ant-. Copy it whole from the Anthropic Console.'),
  });
  if (key === undefined) return;
  await secrets.store(secretIds.anthropicApiKey, key.trim());
  offerToUse(commands, config);
}

const isAnthropicApiKey = (value: string): boolean => /^sk-ant-[\w-]{16,}$/u.test(value.trim());

function offerToUse(commands: CommandRegistry, config: CachedConfig): void {
  const isInUse = config.get().model.provider === 'anthropic';
  const title = isInUse ? vscode.l10n.t('Test…') : vscode.l10n.t('Use and Test…');
  const message = isInUse
    ? vscode.l10n.t('The key is kept.')
    : vscode.l10n.t('The key is kept. Nothing is sent before Anthropic is chosen as the language model.');
  const test = async (): Promise<void> => {
    if (!isInUse) {
      const settings = vscode.workspace.getConfiguration(settingsSection);
      await settings.update(settingKeys.modelProvider, 'anthropic', vscode.ConfigurationTarget.Global);
    }
    await vscode.commands.executeCommand(commandIds.testModel);
  };
  commands.notify(commandIds.setApiKey, { message, actions: [{ title, run: test }] });
}

async function testModel({ commands, engineHolder, config }: LanguageModelDependencies): Promise<void> {
  if (config.get().model.provider === 'none') {
    const message = vscode.l10n.t('No language model is chosen. Recollect works by rules, without one.');
    const setting = `${settingsSection}.${settingKeys.modelProvider}`;
    const open = (): unknown => vscode.commands.executeCommand('workbench.action.openSettings', setting);
    commands.notify(commandIds.testModel, { message, actions: [{ title: vscode.l10n.t('Open Settings'), run: open }] });
    return;
  }
  const engine = await engineHolder.engine();
  const { provider, name } = await engine.modelStatus();
  if (!(await confirmTestRequest(provider, name))) return;
  const title = vscode.l10n.t('Testing the language model');
  const result = await withProgress({ title }, ({ signal }) => engine.testModel(signal));
  const severity = result.outcome === 'answered' ? {} : ({ severity: 'warning' } as const);
  commands.notify(commandIds.testModel, { message: describeTestResult(result), ...severity });
}

function confirmTestRequest(provider: ModelProviderName, name: string): Promise<boolean> {
  const model = provider === 'anthropic' || name !== '' ? name : vscode.l10n.t('the chat model of VS Code');
  const cost =
    provider === 'anthropic'
      ? vscode.l10n.t('With Claude Haiku it costs less than a hundredth of a US cent.')
      : vscode.l10n.t('It counts as one request of the plan that you use the model with.');
  const detail = vscode.l10n.t(
    'It has no memory in it, only one word, and takes about 200 tokens of the daily budget.',
  );
  const question = vscode.l10n.t('Send one test request to {0}?', model);
  return confirmModal({ question, detail: `${detail} ${cost}`, button: vscode.l10n.t('Send') });
}

function describeTestResult(result: ModelTest): string {
  switch (result.outcome) {
    case 'answered': {
      const model = result.name === '' ? vscode.l10n.t('The chat model') : result.name;
      const tokens = formatInteger(result.inputTokens + result.outputTokens);
      return result.costUsd === undefined
        ? vscode.l10n.t('{0} answers. The test took {1} tokens.', model, tokens)
        : vscode.l10n.t('{0} answers. The test took {1} tokens, {2}.', model, tokens, formatCost(result.costUsd));
    }
    case 'unusable':
      return localize(sharedMessages.modelUnusable);
    case 'waits':
      return result.reason === 'budget'
        ? vscode.l10n.t('The daily budget is used up. Work goes on at {0}.', result.until.toLocaleString())
        : vscode.l10n.t('The language model is overloaded. Work goes on at {0}.', result.until.toLocaleString());
    case 'off':
      return vscode.l10n.t('No language model is chosen. Recollect works by rules, without one.');
  }
}
