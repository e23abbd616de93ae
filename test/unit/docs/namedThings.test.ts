import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { exitCodes } from '../../../src/cli/command.js';
import { buildProgram } from '../../../src/cli/main.js';
import { engineSettingKeys } from '../../../src/engine/model/settings.js';

interface Page {
  readonly file: string;
  readonly text: string;
  /** Inline code and the lines of code blocks. */
  readonly code: readonly string[];
}

/** README and every page of docs/. Decision records name what there was when they were written. */
function readPages(): readonly Page[] {
  const below = readdirSync('docs', { recursive: true, encoding: 'utf8' }).map(it => path.join('docs', it));
  const files = ['README.md', 'CONTRIBUTING.md', ...below.filter(it => it.endsWith('.md') && !isRecord(it))];
  return files.map(file => {
    const text = readFileSync(file, 'utf8');
    const blocks = [...text.matchAll(/^```[^\n]*\n(.*?)^```/gmsu)].flatMap(it => it[1]!.split('\n'));
    const inline = [...text.replace(/^```.*?^```/gmsu, '').matchAll(/`([^`\n]+)`/gu)].map(it => it[1]!);
    return { file, text, code: [...blocks.map(it => it.trim()), ...inline] };
  });
}
const isRecord = (file: string): boolean => file.split(path.sep).includes('adr') && !file.endsWith('README.md');

/** What the product's own texts do not name because another program defines it. */
const foreignVariables = ['ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR', 'PLUGIN_ROOT', 'ORT_DISABLE_TELEMETRY'];
const settingKeys: readonly string[] = Object.values(engineSettingKeys);
/** Files, not settings. */
const fileExtensions = ['cjs', 'json', 'md', 'mdc', 'onnx'];

describe('what README and docs name', () => {
  const pages = readPages();
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
    readonly contributes: {
      readonly configuration: unknown;
      readonly commands: readonly { readonly command: string }[];
    };
  };

  // Links and their anchors are checked by `npm run lint:docs`.
  it('has files where paths point', () => {
    const missing = pages.flatMap(({ file, code }) =>
      code
        .map(it => /^(?:src|test|scripts|webview-ui|media|docs|engine)\/[\w./-]*$/u.exec(it)?.[0])
        .filter(it => it !== undefined)
        .filter(it => !existsSync(it) && !existsSync(path.join('src', it)))
        .map(it => `${file}: ${it}`),
    );
    assert.deepEqual(missing, []);
  });

  it('has the commands and options of the command line', () => {
    const program = buildProgram(() => undefined);
    const wrong = pages.flatMap(({ file, code }) =>
      code.flatMap(it => {
        const words = /^(?:[A-Z_]+=\S+ )*recollect((?:\s+\S+)+)$/u
          .exec(it.replace(/\s+# .*$/u, ''))?.[1]
          ?.trim()
          .split(/\s+/u);
        const problem = words && findProblem(program, words);
        return problem === undefined ? [] : [`${file}: ${it}: ${problem}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  it('has the npm scripts and benches', () => {
    const wrong = pages.flatMap(({ file, text }) => {
      const scripts = [...text.matchAll(/npm run ([\w:]+)/gu)].map(it => it[1]!);
      const benches = [...text.matchAll(/npm run bench -- ([a-z]+)/gu)].map(it => `test/bench/${it[1]!}.ts`);
      return [...scripts.filter(it => !(it in manifest.scripts)), ...benches.filter(it => !existsSync(it))].map(
        it => `${file}: ${it}`,
      );
    });
    assert.deepEqual(wrong, []);
  });

  it('has the settings and commands of VS Code', () => {
    const known = JSON.stringify(manifest.contributes);
    const wrong = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w./-])recollect\.([a-zA-Z]+(?:\.[a-zA-Z]+)*)/gu)]
        .filter(
          ([id, rest]) => !fileExtensions.includes(rest!) && !known.includes(`"${id}"`) && !known.includes(`"${id}.`),
        )
        .map(([id]) => `${file}: ${id}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('has the environment variables', () => {
    const sources = ['src', 'scripts', 'test']
      .flatMap(folder =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter(it => /\.(?:ts|mjs)$/u.test(it))
          .map(it => readFileSync(path.join(folder, it), 'utf8')),
      )
      .join('\n');
    const wrong = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/\b[A-Z]{3,}(?:_[A-Z]+)+\b(?!\.md)/gu)]
        .map(it => it[0])
        .filter(it => !foreignVariables.includes(it) && !sources.includes(it))
        .map(it => `${file}: ${it}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('has the settings of the engine, where a table or a sentence names one', () => {
    const ofVSCode = [...JSON.stringify(manifest.contributes).matchAll(/"recollect\.([\w.]+)"/gu)].map(it => it[1]!);
    const known = [...settingKeys, ...ofVSCode];
    const groups = new Set(settingKeys.filter(it => it.includes('.')).map(it => it.split('.')[0]!));
    const wrong = pages.flatMap(({ file, code }) =>
      code
        .filter(it => /^[a-z]+[a-zA-Z]*(?:\.[a-zA-Z]+)+$/u.test(it) && groups.has(it.split('.')[0]!))
        .filter(it => !known.includes(it) && !fileExtensions.includes(it.split('.').at(-1)!))
        .map(it => `${file}: ${it}`),
    );
    assert.deepEqual(wrong, []);
  });

  it('has the exit codes', () => {
    const known = new Set<number>(Object.values(exitCodes));
    const wrong = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/exit(?:s with|s| codes?) (\d+)/gu)]
        .filter(it => !known.has(Number(it[1])))
        .map(it => `${file}: ${it[0]}`),
    );
    assert.deepEqual(wrong, []);
  });
});

/** @param words after `recollect`; capitals and quotes are a person's own */
function findProblem(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  const parents = [program];
  const own = words.findIndex(it => it.startsWith('-') || !/^[a-z][a-z-]*$/u.test(it));
  for (const word of own === -1 ? words : words.slice(0, own)) {
    const next = command.commands.find(it => it.name() === word);
    if (next === undefined) {
      if (command === program) return `no command ${word}`;
      break;
    }
    command = next;
    parents.push(next);
  }
  if (parents.length > 1 && command.name() === 'config') {
    const key = words[1];
    if (key !== undefined && /^[a-z]/u.test(key) && !settingKeys.includes(key)) return `no setting ${key}`;
  }
  const options = parents.flatMap(it => it.options.flatMap(option => [option.long, option.short]));
  const unknown = words.filter(it => /^--?[a-z]/u.test(it)).map(it => it.split('=')[0]!);
  return unknown.map(it => (options.includes(it) || it === '--help' ? undefined : `no option ${it}`)).find(Boolean);
}

describe('the map of the code', () => {
  it('stays a page that a person reads in one sitting', () => {
    assert.ok(Buffer.byteLength(readFileSync('docs/architecture.md')) <= 15_000);
  });
});
