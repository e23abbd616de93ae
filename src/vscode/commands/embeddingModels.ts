import * as vscode from 'vscode';
import type { CatalogModel } from '../../engine/engine.js';
import { commandIds, settingKeys, settingsSection } from '../contributions.js';
import { formatMegabytes } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';

/** "Download Embedding Model…": downloads nothing before the user has confirmed the model and its source. */
export function registerEmbeddingModels(commands: CommandRegistry, dataDir: string): void {
  commands.register(commandIds.downloadModel, async () => {
    const engine = await import('../../engine/engine.js');
    const folder = engine.modelsFolder(dataDir);
    const installed = await engine.installedModels(folder);
    const model = await pickCatalogModel(engine.modelCatalog, engine.downloadSizeOf, installed);
    if (model === undefined) return;
    if (!installed.includes(model.name)) {
      if (!(await confirmDownload(model, engine.downloadSizeOf(model), folder))) return;
      await withProgress(
        { title: vscode.l10n.t('Downloading {0}', model.name), unit: formatMegabytes },
        progressContext => {
          const onProgress = (done: number, total: number): void => {
            progressContext.onProgress({ done, total });
          };
          return engine.downloadModel(folder, model, { signal: progressContext.signal, onProgress });
        },
      );
    }
    offerToUse(commands, model);
  });
}

async function pickCatalogModel(
  models: readonly CatalogModel[],
  bytesOf: (model: CatalogModel) => number,
  installed: readonly string[],
): Promise<CatalogModel | undefined> {
  const items = models.map(model => ({
    model,
    label: model.name,
    description: [
      formatMegabytes(bytesOf(model)),
      sourceHost(model),
      model.licence,
      ...(isInUse(model)
        ? [vscode.l10n.t('in use')]
        : installed.includes(model.name)
          ? [vscode.l10n.t('installed')]
          : []),
    ].join(' · '),
    detail: model.about,
    iconPath: new vscode.ThemeIcon(installed.includes(model.name) ? 'check' : 'cloud-download'),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Download Embedding Model'),
    placeHolder: vscode.l10n.t('A model finds memories by meaning; the built-in one needs no download'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.model;
}

function confirmDownload(model: CatalogModel, bytes: number, folder: string): Promise<boolean> {
  const detail = vscode.l10n.t(
    'The files come from {0} (license {1}), are checked by their SHA-256 and kept in {2}. Nothing of your memories is sent.',
    model.source,
    model.licence,
    folder,
  );
  const question = vscode.l10n.t('Download {0} ({1}) from {2}?', model.name, formatMegabytes(bytes), sourceHost(model));
  return confirmModal({ question, detail, button: vscode.l10n.t('Download') });
}

function offerToUse(commands: CommandRegistry, model: CatalogModel): void {
  if (isInUse(model)) {
    commands.notify(commandIds.downloadModel, { message: vscode.l10n.t('{0} is in use.', model.name) });
    return;
  }
  const use = async (): Promise<void> => {
    const settings = vscode.workspace.getConfiguration(settingsSection);
    // In this order the engine reopens only once.
    await settings.update(settingKeys.embeddingModel, model.name, vscode.ConfigurationTarget.Global);
    await settings.update(settingKeys.embeddings, 'onnx', vscode.ConfigurationTarget.Global);
  };
  const actions = [{ title: vscode.l10n.t('Use It'), run: use }];
  commands.notify(commandIds.downloadModel, { message: vscode.l10n.t('{0} is ready.', model.name), actions });
}

function isInUse({ name }: CatalogModel): boolean {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  return settings.get(settingKeys.embeddings) === 'onnx' && settings.get(settingKeys.embeddingModel) === name;
}

const sourceHost = ({ source }: CatalogModel): string => new URL(source).host;
