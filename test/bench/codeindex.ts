/**
 * How long does indexing a project take, with no language model? A made tree of 2,000 TypeScript files (`--limit` for
 * fewer), each with a class of three methods and two functions; then once more with nothing changed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openEngine } from '../../src/engine/engine.js';
import { benchHost, inTemporaryFolder, reportProgress } from './kit/corpus.js';
import type { BenchOptions } from './kit/options.js';
import type { Report } from './kit/report.js';

const verbs = ['load', 'parse', 'render', 'merge', 'check', 'send', 'count', 'close', 'sort', 'print'];
const things = [
  'port',
  'tide',
  'sail',
  'board',
  'route',
  'order',
  'cargo',
  'signal',
  'chart',
  'anchor',
  'crew',
  'berth',
];

export async function run({ limit = Infinity }: BenchOptions): Promise<Report> {
  const count = Math.min(limit, 2_000);
  return inTemporaryFolder(async folder => {
    const project = path.join(folder, 'project');
    for (let i = 0; i < count; i++) {
      const file = path.join(project, `part${Math.floor(i / 50)}`, `${things[i % things.length]!}${i}.ts`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, madeFile(i));
    }
    const host = benchHost(path.join(folder, 'data'), () => new Date());
    const engine = await openEngine({ ...host, workspaceFolders: [project] });
    try {
      const timed = async (): Promise<number> => {
        const begun = performance.now();
        await engine.codeIndex.run({
          onProgress: ({ done, total }) => {
            if (done % 200 === 0) reportProgress(`${done} of ${total} files`);
          },
        });
        return Math.round((performance.now() - begun) / 100) / 10;
      };
      const seconds = await timed();
      const { pairs } = await engine.codeIndex.status();
      const secondsUnchanged = await timed();
      const notes = ['Descriptions and code are embedded by the built-in model while they are indexed.'];
      return { name: 'codeindex', n: count, figures: { pairs, seconds, secondsUnchanged }, baseline: {}, notes };
    } finally {
      await engine.close();
    }
  });
}

function madeFile(i: number): string {
  const word = (list: readonly string[], step: number): string => list[(i * 7 + step * 3) % list.length]!;
  const capital = (it: string): string => it.charAt(0).toUpperCase() + it.slice(1);
  const name = (step: number): string => `${word(verbs, step)}${capital(word(things, step))}${i}`;
  const body = (step: number): string =>
    `  const ${word(things, step)} = read(input, ${i + step});\n  if (${word(things, step)} === undefined) throw new Error('no ${word(things, step + 1)}');\n  return ${word(verbs, step + 2)}(${word(things, step)}, ${step});\n`;
  const method = (step: number): string =>
    `  /** Will ${word(verbs, step)} the ${word(things, step)} of the ${word(things, step + 5)}. */\n  ${name(step)}(input: string): number {\n${body(step)}  }\n`;
  return [
    `/** Everything about the ${word(things, 0)} of part ${i}. */`,
    `import { read } from './read.js';\n`,
    `export class ${capital(word(things, 0))}${i} {\n${[1, 2, 3].map(method).join('\n')}}\n`,
    ...[4, 5].map(
      it =>
        `/** Can ${word(verbs, it)} a ${word(things, it)}. */\nexport function ${name(it)}(input: string): number {\n${body(it)}}\n`,
    ),
  ].join('\n');
}
