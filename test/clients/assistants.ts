import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runRecollect } from '../cli/shell.js';
import type { ScriptedModel } from './scriptedModel.js';

/** Where the programs lie (`scripts/installAssistants.mjs`). */
const programs = JSON.parse(process.env.RECOLLECT_TEST_ASSISTANTS ?? '{}') as Readonly<Record<string, string>>;

/** What all assistants of a test share. */
export interface Setting {
  readonly model: ScriptedModel;
  readonly project: string;
  /** Makes a folder, for the home of one assistant. */
  readonly newHome: () => string;
  /** The memory. */
  readonly dataDir: string;
}

/** A real assistant with a home of its own, without an account, whose model is the scripted one. */
export interface Assistant {
  readonly name: string;
  /** As provenance names it. */
  readonly client: string;
  /**
   * Runs it without a terminal, to the end of its answer, and returns what it printed.
   * @param options of the program, besides those that each run has
   */
  ask(prompt: string, options?: readonly string[]): Promise<string>;
}

/** A program that hangs is ended after this; on a busy machine one answer has taken half a minute. */
const answerTimeoutMs = 240_000;
/** How long it waits for a hook of ours: without a word, the hook of a tool call gives up after 300 ms. */
const hookTimeoutSeconds = 120;
/** How long an assistant waits for our server: by default opencode gives it 5 seconds, which a busy machine may exceed. */
const serverStartTimeoutMs = 120_000;

function environment(home: string, more: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PATH: `${path.dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: home,
    TERM: 'dumb',
    // Whatever else a program wants from the network gets no answer.
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    ...more,
  };
}

/** With our plugin: its hooks, skills and server. */
export async function claudeCode(setting: Setting): Promise<Assistant> {
  const { model, project, dataDir, newHome } = setting;
  const home = newHome();
  const plugin = await writePlugin(home, setting);
  await validatePlugin(plugin, home, setting);
  const env = environment(home, {
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    MCP_TIMEOUT: String(serverStartTimeoutMs),
    ANTHROPIC_BASE_URL: model.address,
    ANTHROPIC_API_KEY: 'dummy',
    RECOLLECT_HOME: dataDir,
  });
  const options = [
    '--plugin-dir',
    plugin,
    '--output-format',
    'stream-json',
    '--verbose',
    '--include-hook-events',
    '--allowedTools',
    [
      ...['recall', 'remember'].map(it => `mcp__plugin_recollect_recollect__${it}`),
      ...['Read', 'Edit', 'Write', 'NotebookEdit', 'Bash'],
    ].join(','),
  ];
  return {
    name: 'Claude Code',
    client: 'mcp:claude-code',
    ask: (prompt, more = []) => run([programs.claude!, '-p', prompt, ...options, ...more], project, env),
  };
}

export async function codex(setting: Setting): Promise<Assistant> {
  const { model, project, newHome } = setting;
  const home = newHome();
  mkdirSync(path.join(home, '.codex'));
  writeFileSync(
    path.join(home, '.codex', 'config.toml'),
    `model = "scripted"
model_provider = "loopback"

[model_providers.loopback]
name = "loopback"
base_url = ${JSON.stringify(`${model.address}/v1`)}
wire_api = "responses"
env_key = "LOOPBACK_KEY"
`,
  );
  await connect('codex', home, setting);
  const env = environment(home, { LOOPBACK_KEY: 'dummy' });
  // Skills and hooks; the plugin has no server.
  const marketplace = path.dirname(await writePlugin(home, setting));
  await run([programs.codex!, 'plugin', 'marketplace', 'add', marketplace], project, env);
  await run([programs.codex!, 'plugin', 'add', 'recollect@recollect'], project, env);
  // Without it the first request may be sent before the server is up.
  const patience = ['required=true', `startup_timeout_sec=${serverStartTimeoutMs / 1_000}`];
  const options = [...patience.flatMap(it => ['-c', `mcp_servers.recollect.${it}`]), '--skip-git-repo-check', '--json'];
  // What a person does once in /hooks; a hook that is not trusted is passed over without a word.
  options.push('--dangerously-bypass-hook-trust');
  // Its own sandbox needs more of a kernel than a container has.
  options.push('--dangerously-bypass-approvals-and-sandbox');
  return {
    name: 'Codex',
    client: 'mcp:codex-mcp-client',
    ask: (prompt, more = []) => run([programs.codex!, 'exec', ...options, ...more, prompt], project, env),
  };
}

/** With the hooks of our plugin. */
export function copilot(setting: Setting): Promise<Assistant> {
  return copilotWithHooks(setting, async home => {
    const plugin = await writePlugin(home, setting);
    return readFileSync(path.join(plugin, 'com.github.copilot', 'hooks', 'hooks.json'), 'utf8');
  });
}

/** With the file of hooks that the user guide has for VS Code's chat: it names the events in another way, and so their input. */
export function copilotAsVsCode(setting: Setting): Promise<Assistant> {
  return copilotWithHooks(setting, () => {
    const guide = readFileSync(path.join('docs', 'user-guide', 'claude-code-and-mcp.md'), 'utf8');
    const text = /```json\n(\{\s+"hooks": \{\s+"SessionStart".*?)```/su.exec(guide)![1]!;
    const commandLine = `${process.execPath} ${path.resolve('dist', 'cli.js')}`;
    return Promise.resolve(
      text.replaceAll(/"recollect (hook [a-z-]+)"/gu, `"${commandLine} $1 --timeout ${hookTimeoutSeconds}"`),
    );
  });
}

async function copilotWithHooks(setting: Setting, hooksFile: (home: string) => Promise<string>): Promise<Assistant> {
  const { model, project, dataDir, newHome } = setting;
  const home = newHome();
  await connect('copilot', home, setting);
  // One of a project (`.github/hooks`) is loaded only where a person trusts the folder, which `-p` asks of no person.
  const hooks = path.join(home, '.copilot', 'hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(path.join(hooks, 'recollect.json'), await hooksFile(home));
  const env = environment(home, {
    RECOLLECT_HOME: dataDir,
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_BASE_URL: `${model.address}/v1`,
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_MODEL: 'scripted',
  });
  return {
    name: 'Copilot CLI',
    client: 'mcp:copilot-cli',
    ask: (prompt, more = []) => run([programs.copilot!, '-p', prompt, '--allow-all-tools', ...more], project, env),
  };
}

export async function opencode(setting: Setting): Promise<Assistant> {
  const { model, project, newHome } = setting;
  const home = newHome();
  const config = path.join(home, '.config', 'opencode');
  mkdirSync(config, { recursive: true });
  writeFileSync(
    path.join(config, 'opencode.json'),
    JSON.stringify({
      model: 'loopback/scripted',
      autoupdate: false,
      experimental: { mcp_timeout: serverStartTimeoutMs },
      provider: {
        loopback: {
          npm: '@ai-sdk/openai-compatible',
          name: 'loopback',
          options: { baseURL: `${model.address}/v1`, apiKey: 'dummy' },
          models: { scripted: { name: 'scripted', tool_call: true } },
        },
      },
    }),
  );
  await connect('opencode', home, setting);
  const env = environment(home, { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' });
  return {
    name: 'opencode',
    client: 'mcp:opencode',
    ask: (prompt, more = []) => run([programs.opencode!, 'run', '--format', 'json', ...more, prompt], project, env),
  };
}

export async function geminiCli(setting: Setting): Promise<Assistant> {
  const { model, project, newHome } = setting;
  const home = newHome();
  mkdirSync(path.join(home, '.gemini'));
  writeFileSync(
    path.join(home, '.gemini', 'settings.json'),
    JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
  );
  await connect('gemini', home, setting);
  const env = environment(home, { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: model.address });
  // Without a model's name it asks a model which one to ask.
  const options = ['-m', 'scripted', '--skip-trust', '--yolo'];
  return {
    name: 'Gemini CLI',
    client: 'mcp:gemini-cli-mcp-client',
    ask: (prompt, more = []) =>
      run([process.execPath, programs.gemini!, ...options, ...more, '-p', prompt], project, env),
  };
}

/** The plugin as a person installs it, whose hooks may take as long as a busy machine needs. @returns its folder */
async function writePlugin(home: string, { project, dataDir }: Setting): Promise<string> {
  const env = { RECOLLECT_HOME: dataDir };
  const plugin = (await runRecollect(['plugin'], { home, cwd: project, env })).out.trim();
  const forms = ['hooks', path.join('com.github.copilot', 'hooks'), path.join('..', 'codex', 'hooks')];
  for (const form of forms) {
    const file = path.join(plugin, form, 'hooks.json');
    const text = readFileSync(file, 'utf8')
      .replaceAll(/ hook ([a-z-]+)"/gu, ` hook $1 --timeout ${hookTimeoutSeconds}"`)
      .replaceAll(/"(timeout(?:Sec)?)": \d+/gu, `"$1": ${hookTimeoutSeconds}`);
    writeFileSync(file, text);
  }
  return plugin;
}

/** Lets Claude Code look at the plugin and its marketplace. */
async function validatePlugin(plugin: string, home: string, { project }: Setting): Promise<void> {
  for (const it of [plugin, path.dirname(plugin)]) {
    const said = await run([programs.claude!, 'plugin', 'validate', it], project, environment(home, {}));
    assert.match(said, /Validation passed/u);
  }
}

/** As a person connects an assistant. */
async function connect(name: string, home: string, { project, dataDir }: Setting): Promise<void> {
  const env = { RECOLLECT_HOME: dataDir };
  const { code, err } = await runRecollect(['connect', name, '--yes'], { home, cwd: project, env });
  assert.equal(code, 0, err);
}

/** @throws Error with what the program printed, where it fails or hangs */
function run(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (it: string) => (out += it));
  child.stderr.setEncoding('utf8').on('data', (it: string) => (err += it));
  const endAll = (): void => {
    try {
      // With all that it has started.
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It is gone.
    }
  };
  const timer = setTimeout(endAll, answerTimeoutMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // Not "close": what it has started may hold its output open.
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      endAll();
      setImmediate(() => {
        if (code === 0) resolve(out);
        else reject(new Error(`${program} ended with ${code ?? signal}.\n${out.slice(-2_000)}\n${err.slice(-2_000)}`));
      });
    });
  });
}
