import path from 'node:path';
import { z } from 'zod';
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
import { argument, flag, option, requireYes, type CommandCaller } from '../../operations/personCommand.js';
import { defineProgramCommand, type ProgramCommand, type ProgramContext } from '../command.js';

/** `recollect models` and `recollect models download`. */
export const embeddingModelCommands: readonly ProgramCommand[] = [
  defineProgramCommand({
    name: 'models',
    description: 'list the embedding models that are here or can be downloaded',
    input: z.strictObject({}),
    async answer(program) {
      const rows = await listModels(program);
      return { output: rows, lines: rows.map(describeModel) };
    },
  }),
  defineProgramCommand({
    name: 'models download',
    description: 'download a model, after asking; it is checked before it is used',
    input: z.strictObject({
      name: argument('<name>', z.string(), 'one that `recollect models` lists'),
      yes: option('--yes', flag, 'do not ask'),
    }),
    async answer({ dataDir }, { name, yes }, caller) {
      const model = modelCatalog.find(it => it.name === name);
      if (model === undefined) {
        const names = modelCatalog.map(it => it.name).join(', ');
        throw new EngineError('invalidInput', `${name} cannot be downloaded. There are ${names}.`);
      }
      const models = modelsFolder(dataDir);
      if (!(await installedModels(models)).includes(name)) {
        const size = formatMegabytes(downloadSizeOf(model));
        const question = `Download ${name} (${size}, ${model.licence}) from ${model.source} to ${models}?`;
        await requireYes(caller, { yes, question, refusal: 'Nothing was downloaded.' });
        await downloadWithProgress(model, models, caller);
      }
      const folder = path.join(models, name);
      return { output: { name, folder }, lines: [`${name} is in ${folder}. Use it with --embeddings ${name}.`] };
    },
  }),
];

interface ModelRow {
  readonly name: string;
  readonly installed: boolean;
  readonly current: boolean;
  readonly about: string;
  readonly bytes?: number;
  readonly licence?: string;
  readonly source?: string;
}

async function listModels({ dataDir, config }: ProgramContext): Promise<readonly ModelRow[]> {
  const installed = await installedModels(modelsFolder(dataDir));
  const { embeddings: current, embeddingEndpoint } = config();
  const ownModels = installed.filter(name => !modelCatalog.some(it => it.name === name));
  return [
    { name: 'built-in', installed: true, about: 'comes with Recollect' },
    { name: 'static', installed: true, about: 'comes with Recollect, smaller, needs no ONNX Runtime' },
    ...modelCatalog.map(model => {
      const { name, about, licence, source } = model;
      return { name, installed: installed.includes(name), about, bytes: downloadSizeOf(model), licence, source };
    }),
    ...[...ownModels, ...(path.isAbsolute(current) ? [current] : [])].map(name => {
      return { name, installed: true, about: 'your own' };
    }),
    ...endpointRows(embeddingEndpoint),
  ].map((it): ModelRow => ({ ...it, current: it.name === current }));
}

function endpointRows({ address, model }: Config['embeddingEndpoint']): readonly Omit<ModelRow, 'current'>[] {
  return address === '' ? [] : [{ name: 'endpoint', installed: true, about: `${model} at ${address}` }];
}

function describeModel({ name, installed, current, about, bytes, licence }: ModelRow): string {
  const state = current ? 'in use' : installed ? 'installed' : '';
  const size = bytes === undefined ? '' : `${formatMegabytes(bytes)}  ${licence ?? ''}`;
  return `${name.padEnd(18)}  ${state.padEnd(9)}  ${size.padEnd(19)}  ${about}`;
}

/** Control-C keeps what has arrived. */
async function downloadWithProgress(model: CatalogModel, folder: string, caller: CommandCaller): Promise<void> {
  let lastPercent = -1;
  const onProgress = (received: number, total: number): void => {
    const percent = Math.floor((100 * received) / total);
    if (percent === lastPercent) return;
    lastPercent = percent;
    caller.showProgress(`${model.name}: ${percent}% of ${formatMegabytes(total)}`, percent === 100);
  };
  await caller.interruptible(signal => downloadModel(folder, model, { signal, onProgress }));
}

const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
