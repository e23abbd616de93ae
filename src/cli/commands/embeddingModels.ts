import path from 'node:path';
import type { Command } from 'commander';
import { EngineError } from '../../engine/base/errors.js';
import {
  downloadSizeOf,
  modelCatalog,
  downloadModel,
  installedModels,
  modelsFolder,
  type CatalogModel,
} from '../../engine/engine.js';
import type { Config } from '../../engine/model/config.js';
import { confirm, withSigint, type ProgramContext } from '../command.js';
import { registerEndpointCommand } from './embeddingEndpoint.js';

/** `recollect models`, `recollect models download` and `recollect models endpoint`. */
export function registerEmbeddingModelCommands(program: Command, context: ProgramContext): void {
  const models = program
    .command('models')
    .description('list the embedding models that are here or can be downloaded')
    .action(() => listModels(context));
  models
    .command('download')
    .description('download a model, after asking; it is checked before it is used')
    .argument('<name>', 'one that `recollect models` lists')
    .option('--yes', 'do not ask')
    .action((name: string, { yes }: { readonly yes?: true }) => downloadNamedModel(context, name, yes === true));
  registerEndpointCommand(models, context);
}

interface ModelRow {
  readonly name: string;
  readonly installed: boolean;
  readonly current: boolean;
  readonly about: string;
  readonly bytes?: number;
  readonly licence?: string;
  readonly source?: string;
}

async function listModels(context: ProgramContext): Promise<void> {
  const installed = await installedModels(modelsFolder(context.dataDir()));
  const { embeddings: current, embeddingEndpoint } = context.config();
  const ownModels = installed.filter(name => !modelCatalog.some(it => it.name === name));
  const rows: readonly ModelRow[] = [
    { name: 'built-in', installed: true, about: 'comes with Recollect' },
    { name: 'static', installed: true, about: 'comes with Recollect, smaller, needs no ONNX Runtime' },
    ...modelCatalog.map(({ name, about, licence, source }, i) => {
      return {
        name,
        installed: installed.includes(name),
        about,
        bytes: downloadSizeOf(modelCatalog[i]!),
        licence,
        source,
      };
    }),
    ...[...ownModels, ...(path.isAbsolute(current) ? [current] : [])].map(name => {
      return { name, installed: true, about: 'your own' };
    }),
    ...endpointRows(embeddingEndpoint),
  ].map((it): ModelRow => ({ ...it, current: it.name === current }));
  context.print(rows, () => rows.map(describeModel));
}

function endpointRows({ address, model }: Config['embeddingEndpoint']): readonly Omit<ModelRow, 'current'>[] {
  return address === '' ? [] : [{ name: 'endpoint', installed: true, about: `${model} at ${address}` }];
}

function describeModel({ name, installed, current, about, bytes, licence }: ModelRow): string {
  const state = current ? 'in use' : installed ? 'installed' : '';
  const size = bytes === undefined ? '' : `${formatMegabytes(bytes)}  ${licence ?? ''}`;
  return `${name.padEnd(18)}  ${state.padEnd(9)}  ${size.padEnd(19)}  ${about}`;
}

async function downloadNamedModel(context: ProgramContext, name: string, isConfirmed: boolean): Promise<void> {
  const model = modelCatalog.find(it => it.name === name);
  if (model === undefined) {
    const names = modelCatalog.map(it => it.name).join(', ');
    throw new EngineError('invalidInput', `${name} cannot be downloaded. There are ${names}.`);
  }
  const folder = modelsFolder(context.dataDir());
  if (!(await installedModels(folder)).includes(name)) {
    if (!isConfirmed && !(await confirmDownload(model, folder)))
      throw new EngineError('aborted', 'Nothing was downloaded.');
    await downloadWithProgress(model, folder, context.isJson());
  }
  const modelFolder = path.join(folder, name);
  context.print({ name, folder: modelFolder }, () => [
    `${name} is in ${modelFolder}. Use it with --embeddings ${name}.`,
  ]);
}

function confirmDownload(model: CatalogModel, folder: string): Promise<boolean> {
  return confirm(
    `Download ${model.name} (${formatMegabytes(downloadSizeOf(model))}, ${model.licence}) from ${model.source} to ${folder}?`,
  );
}

/** Control-C keeps what has arrived. */
async function downloadWithProgress(model: CatalogModel, folder: string, isJson: boolean): Promise<void> {
  let lastPercent = -1;
  const onProgress = (received: number, total: number): void => {
    const percent = Math.floor((100 * received) / total);
    if (percent === lastPercent || isJson || !process.stderr.isTTY) return;
    lastPercent = percent;
    process.stderr.write(`\r${model.name}: ${percent}% of ${formatMegabytes(total)}${percent === 100 ? '\n' : ''}`);
  };
  await withSigint(signal => downloadModel(folder, model, { signal, onProgress }));
}

const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
