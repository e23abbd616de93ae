import * as vscode from 'vscode';
import type { CatalogModel } from '../../engine/engine.js';
import { commandIds, settingKeys, settingsSection } from '../contributions.js';
import { withProgress } from './progress.js';
import type { Commands } from './registry.js';

/** "Download Embedding Model…": nothing is fetched before the person has seen what from where, and agreed. */
export function registerModels(commands: Commands, dataDir: string): void {
  commands.register(commandIds.downloadModel, async () => {
    const engine = await import('../../engine/engine.js');
    const folder = engine.modelsFolder(dataDir);
    const installed = await engine.installedModels(folder);
    const model = await pickModel(engine.catalog, engine.bytesOf, installed);
    if (model === undefined) return;
    if (!installed.includes(model.name)) {
      if (!(await agrees(model, engine.bytesOf(model), folder))) return;
      await withProgress({ title: vscode.l10n.t('Downloading {0}', model.name), unit: megabytes }, means => {
        const onProgress = (done: number, total: number): void => {
          means.onProgress({ done, total });
        };
        return engine.downloadModel(folder, model, { signal: means.signal, onProgress });
      });
    }
    offerToUse(commands, model);
  });
}

async function pickModel(
  models: readonly CatalogModel[],
  bytesOf: (model: CatalogModel) => number,
  installed: readonly string[],
): Promise<CatalogModel | undefined> {
  const items = models.map(model => ({
    model,
    label: model.name,
    description: [
      megabytes(bytesOf(model)),
      hostOf(model),
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

async function agrees(model: CatalogModel, bytes: number, folder: string): Promise<boolean> {
  const yes = vscode.l10n.t('Download');
  const detail = vscode.l10n.t(
    'The files come from {0} (licence {1}), are checked by their SHA-256 and kept in {2}. Nothing of your memories is sent.',
    model.source,
    model.licence,
    folder,
  );
  const question = vscode.l10n.t('Download {0} ({1}) from {2}?', model.name, megabytes(bytes), hostOf(model));
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, yes)) === yes;
}

function offerToUse(commands: Commands, model: CatalogModel): void {
  if (isInUse(model)) {
    commands.tell(commandIds.downloadModel, { message: vscode.l10n.t('{0} is in use.', model.name) });
    return;
  }
  const use = async (): Promise<void> => {
    const settings = vscode.workspace.getConfiguration(settingsSection);
    // In this order the engine is opened anew once.
    await settings.update(settingKeys.embeddingModel, model.name, vscode.ConfigurationTarget.Global);
    await settings.update(settingKeys.embeddings, 'onnx', vscode.ConfigurationTarget.Global);
  };
  const actions = [{ title: vscode.l10n.t('Use It'), run: use }];
  commands.tell(commandIds.downloadModel, { message: vscode.l10n.t('{0} is ready.', model.name), actions });
}

function isInUse({ name }: CatalogModel): boolean {
  const settings = vscode.workspace.getConfiguration(settingsSection);
  return settings.get(settingKeys.embeddings) === 'onnx' && settings.get(settingKeys.embeddingModel) === name;
}

const hostOf = ({ source }: CatalogModel): string => new URL(source).host;

const megabytes = (bytes: number): string => vscode.l10n.t('{0} MB', (bytes / 1e6).toFixed(1));
