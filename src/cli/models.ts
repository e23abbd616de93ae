import path from 'node:path';
import type { Command } from 'commander';
import { EngineError } from '../engine/base/errors.js';
import {
  downloadSizeOf,
  modelCatalog,
  downloadModel,
  installedModels,
  modelsFolder,
  type CatalogModel,
} from '../engine/engine.js';
import { defaultConfig } from '../engine/model/config.js';
import { agreesTo, interruptible } from './command.js';

/** What the commands about models need of the whole command line. */
export interface ModelsParts {
  dataDir(): string;
  /** As the option or the environment say it. */
  embeddings(): string;
  isJson(): boolean;
  print(data: unknown, lines: () => readonly string[]): void;
}

/**
 * The model that finds by meaning: the option, else `RECOLLECT_EMBEDDINGS`, else the built-in one. What looks like a path
 * is one, from this folder on.
 * @throws EngineError invalidInput
 */
export function readEmbeddings(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const value = option ?? env.RECOLLECT_EMBEDDINGS ?? '';
  if (value === '') return defaultConfig.embeddings;
  if (/[\\/]/u.test(value)) return path.resolve(value);
  if (/^\w[\w.-]*$/u.test(value)) return value;
  throw new EngineError(
    'invalidInput',
    `${value} is no embedding model. Say built-in, off, the name of a downloaded model, or the path of a model's folder.`,
  );
}

/** `recollect models`, and `recollect models download`. */
export function addModels(program: Command, parts: ModelsParts): void {
  const models = program
    .command('models')
    .description('list the embedding models that are here or can be downloaded')
    .action(() => list(parts));
  models
    .command('download')
    .description('download a model, after asking; it is checked before it is used')
    .argument('<name>', 'one that `recollect models` lists')
    .option('--yes', 'do not ask')
    .action((name: string, { yes }: { readonly yes?: true }) => download(parts, name, yes === true));
}

interface Row {
  readonly name: string;
  readonly installed: boolean;
  readonly current: boolean;
  readonly about: string;
  readonly bytes?: number;
  readonly licence?: string;
  readonly source?: string;
}

async function list(parts: ModelsParts): Promise<void> {
  const installed = await installedModels(modelsFolder(parts.dataDir()));
  const current = parts.embeddings();
  const own = installed.filter(name => !modelCatalog.some(it => it.name === name));
  const rows: readonly Row[] = [
    { name: 'built-in', installed: true, about: 'comes with Recollect' },
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
    ...[...own, ...(path.isAbsolute(current) ? [current] : [])].map(name => {
      return { name, installed: true, about: 'your own' };
    }),
  ].map(it => ({ ...it, current: it.name === current }));
  parts.print(rows, () => rows.map(describeRow));
}

function describeRow({ name, installed, current, about, bytes, licence }: Row): string {
  const state = current ? 'in use' : installed ? 'installed' : '';
  const size = bytes === undefined ? '' : `${megabytes(bytes)}  ${licence ?? ''}`;
  return `${name.padEnd(18)}  ${state.padEnd(9)}  ${size.padEnd(19)}  ${about}`;
}

async function download(parts: ModelsParts, name: string, agreed: boolean): Promise<void> {
  const model = modelCatalog.find(it => it.name === name);
  if (model === undefined) {
    const names = modelCatalog.map(it => it.name).join(', ');
    throw new EngineError('invalidInput', `${name} cannot be downloaded. There are ${names}.`);
  }
  const folder = modelsFolder(parts.dataDir());
  if (!(await installedModels(folder)).includes(name)) {
    if (!agreed && !(await agrees(model, folder))) throw new EngineError('aborted', 'Nothing was downloaded.');
    await withProgress(model, folder, parts.isJson());
  }
  const at = path.join(folder, name);
  parts.print({ name, folder: at }, () => [`${name} is in ${at}. Use it with --embeddings ${name}.`]);
}

function agrees(model: CatalogModel, folder: string): Promise<boolean> {
  return agreesTo(
    `Download ${model.name} (${megabytes(downloadSizeOf(model))}, ${model.licence}) from ${model.source} to ${folder}?`,
  );
}

/** Control-C keeps what has arrived. */
async function withProgress(model: CatalogModel, folder: string, isJson: boolean): Promise<void> {
  let shown = -1;
  const onProgress = (received: number, total: number): void => {
    const percent = Math.floor((100 * received) / total);
    if (percent === shown || isJson || !process.stderr.isTTY) return;
    shown = percent;
    process.stderr.write(`\r${model.name}: ${percent}% of ${megabytes(total)}${percent === 100 ? '\n' : ''}`);
  };
  await interruptible(signal => downloadModel(folder, model, { signal, onProgress }));
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
