import { Option, type Command } from 'commander';
import type { MemoryEngine } from '../../engine/engine.js';
import type { GraphStep } from '../../engine/model/conflict.js';
import { edgeTypes, linkTypes, type EdgeType, type LinkType } from '../../engine/model/edge.js';
import { shortId } from '../../engine/model/memory.js';
import type { Trace } from '../../engine/model/trace.js';
import { exitCodes, print, type WithEngine } from '../command.js';
import { formatMemoryLine } from '../output/describeMemory.js';
import { parseWholeNumber } from './filterOptions.js';

/** How memories hang together, and what recalls returned. */
export function registerGraphCommands(program: Command, withEngine: WithEngine): void {
  interface Options {
    readonly hops: number;
    readonly type?: EdgeType[];
    readonly limit: number;
  }
  program
    .command('graph')
    .description('list the memories that a memory is linked with, and those behind them')
    .argument('<id>', 'its id or the last eight digits of it')
    .option('--hops <n>', 'links to follow, 1 or 2', parseWholeNumber, 2)
    .addOption(new Option('--type <type...>', 'only links of these types').choices(edgeTypes))
    .option('--limit <n>', 'memories at most', parseWholeNumber, 50)
    .action((id: string, { hops, type: types, limit }: Options) =>
      withEngine(async (engine, json) => {
        const steps = await engine.graph.walk(id, { hops, limit, ...(types === undefined ? {} : { types }) });
        print(json, steps, () => steps.map(describeStep));
        if (steps.length === 0) console.error('This memory is linked with none.');
        return exitCodes.ok;
      }),
    );
  program
    .command('link')
    .description('link two memories: the first exemplifies, refines, derives from or relates to the second')
    .argument('<a>', 'an id, or the last eight digits of it')
    .addArgument(program.createArgument('<type>', 'how they are linked').choices(linkTypes))
    .argument('<b>', 'the id of the other one')
    .action((a: string, type: LinkType, b: string) =>
      withEngine(async (engine, json) => {
        await engine.graph.link(a, type, b);
        const memories = [await engine.get(a), await engine.get(b)] as const;
        print(json, { source: memories[0].id, type, target: memories[1].id }, () => [
          `#${shortId(memories[0])} ${type} #${shortId(memories[1])}`,
        ]);
        return exitCodes.ok;
      }),
    );
  program
    .command('traces')
    .description('list what was recalled, newest first; with the id of a recall, why each memory was returned or not')
    .argument('[id]', 'the id of a recall')
    .option('--limit <n>', 'recalls at most', parseWholeNumber, 10)
    .action((id: string | undefined, { limit }: { readonly limit: number }) =>
      withEngine(async (engine, json) => {
        if (id === undefined) {
          const traces = await engine.traces(limit);
          print(json, traces, () => traces.map(describeTrace));
          if (traces.length === 0) console.error('Nothing was recalled yet.');
        } else {
          await printTrace(engine, id, json);
        }
        return exitCodes.ok;
      }),
    );
}

function describeStep({ edge, from, hop, memory, effectiveConfidence }: GraphStep): string {
  const arrow = edge.source === from ? `-${edge.type}->` : `<-${edge.type}-`;
  const indent = '  '.repeat(hop - 1);
  return `${indent}#${shortId({ id: from })} ${arrow} ${formatMemoryLine(memory, effectiveConfidence)}`;
}

function describeTrace({ id, at, client, query, candidates, cache, stages }: Trace): string {
  const returned = candidates.filter(it => it.outcome === 'returned').map(it => `#${shortId(it)}`);
  const ms = Math.round(stages.reduce((sum, it) => sum + it.ms, 0));
  const answer = returned.length === 0 ? 'nothing' : returned.join(' ');
  return `${id}  ${at}  ${client}  "${query}"  ${answer}  ${ms} ms${cache === 'hit' ? ', from the cache' : ''}`;
}

async function printTrace(engine: MemoryEngine, id: string, json: boolean): Promise<void> {
  const { trace, memories } = await engine.explainer.explainTrace(id);
  const byId = new Map(memories.map(it => [it.id, it]));
  print(json, trace, () => [
    describeTrace(trace),
    ...(trace.remarks ?? []).map(it => `  ${it}`),
    ...trace.candidates.map(it => {
      const rank = it.factors.rank.toFixed(3);
      return `  ${it.outcome}  rank ${rank}  #${shortId(it)}  ${byId.get(it.id)?.summary ?? '(deleted)'}`;
    }),
  ]);
}
