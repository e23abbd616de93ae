import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { hookEvents, hookNames, hookOf } from '../../../src/cli/hooks/hookEvents.js';
import { buildProgram } from '../../../src/cli/main.js';
import { tools } from '../../../src/operations/registry.js';

const plugin = path.resolve('media', 'claude-plugin');
const read = (...parts: readonly string[]): string => readFileSync(path.join(plugin, ...parts), 'utf8');
const readJson = (...parts: readonly string[]): unknown => JSON.parse(read(...parts));
const toolNames = tools.map(it => it.name);
/** Of skills and agents: https://agentskills.io/specification. */
const validName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;

interface Frontmatter {
  readonly name: string;
  readonly description: string;
  readonly tools?: string;
}

function readMarkdown(...parts: readonly string[]): { readonly head: Frontmatter; readonly body: string } {
  const found = /^---\n([\s\S]*?)\n---\n([\s\S]+)$/u.exec(read(...parts));
  assert.ok(found !== null, `${parts.join('/')} has no frontmatter`);
  const head = parse(found[1]!) as Frontmatter;
  const { name, description } = head;
  assert.match(name, validName);
  assert.ok(name.length <= 64 && description.length <= 1_024, name);
  // What it does, and when.
  assert.match(description, /^[A-Z].+\. Use (?:when|at|for) .+\.$/u);
  return { head, body: found[2]! };
}

interface Hook {
  readonly type: string;
  readonly command: string;
  readonly timeout: number;
}

describe('the plugin for Claude Code', () => {
  it('has a manifest of the version that the extension has', () => {
    const { name, version, description } = readJson('.claude-plugin', 'plugin.json') as Record<string, string>;
    const own = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    assert.deepEqual([name, version], ['recollect', own.version]);
    assert.ok(description!.length > 20);
    assert.deepEqual(readdirSync(path.join(plugin, '.claude-plugin')), ['plugin.json']);
  });

  it('has skills that are named like their folders and refer only to existing tools', () => {
    const skills = readdirSync(path.join(plugin, 'skills'));
    assert.deepEqual(skills, [
      'capture',
      'consolidate',
      'describe',
      'enrich',
      'forget',
      'handover',
      'index-code',
      'recall',
      'remember',
    ]);
    for (const skill of skills) {
      assert.deepEqual(readdirSync(path.join(plugin, 'skills', skill)), ['SKILL.md']);
      const { head, body } = readMarkdown('skills', skill, 'SKILL.md');
      assert.deepEqual([head.name, Object.keys(head)], [skill, ['name', 'description']]);
      const named = [...body.matchAll(/\b(?:tools?|Call|call|with) `(\w+)`/gu)].map(it => it[1]!);
      assert.ok(named.length > 0, skill);
      assert.deepEqual(
        named.filter(it => !toolNames.includes(it)),
        [],
      );
    }
  });

  it('names only commands and options that the command line has', () => {
    const program = buildProgram(() => undefined);
    const files = readdirSync(path.join(plugin, 'skills')).map(it => ['skills', it, 'SKILL.md']);
    const named = [...files, ['README.md']].flatMap(it =>
      [...read(...it).matchAll(/`recollect ([^`]+)`/gu)].map(found => found[1]!),
    );
    for (const [name, options] of named.map(it => [it.split(' ')[0]!, it.match(/--[\w-]+/gu) ?? []] as const)) {
      const command = program.commands.find(it => it.name() === name);
      assert.ok(command !== undefined, name);
      const known = command.options.map(it => it.long);
      assert.deepEqual(
        options.filter(it => !known.includes(it)),
        [],
        name,
      );
    }
    assert.deepEqual([...new Set(named.map(it => it.split(' ')[0]))].sort(), [
      'candidates',
      'capture',
      'consolidate',
      'index',
      'maintain',
      'metrics',
      'pin',
      'restore',
      'settle',
    ]);
  });

  it('has an agent that has the tools it needs, however the server is connected', () => {
    assert.deepEqual(readdirSync(path.join(plugin, 'agents')), ['memory-extractor.md']);
    const { head } = readMarkdown('agents', 'memory-extractor.md');
    assert.equal(head.name, 'memory-extractor');
    const own = head.tools!.split(', ').flatMap(it => /^mcp__(\w+?)__(\w+)$/u.exec(it)?.slice(1) ?? []);
    assert.deepEqual(
      own,
      ['recollect', 'plugin_recollect_recollect'].flatMap(server =>
        ['recall', 'remember', 'revise'].flatMap(tool => [server, tool]),
      ),
    );
    assert.ok(own.every((it, i) => i % 2 === 0 || toolNames.includes(it)));
  });

  it('has hooks that run an existing command line', () => {
    const { hooks } = readJson('hooks', 'hooks.json') as {
      readonly hooks: Readonly<
        Record<string, readonly { readonly matcher?: string; readonly hooks: readonly Hook[] }[]>
      >;
    };
    const all = Object.entries(hooks).flatMap(([event, groups]) =>
      groups.flatMap(group => group.hooks.map(hook => ({ event, matcher: group.matcher, ...hook }))),
    );
    // A hook for each prompt is off by default.
    assert.deepEqual(
      all.map(it => [it.event, it.matcher, it.type]),
      [
        ['SessionStart', 'startup|resume|clear|compact', 'command'],
        ['PreToolUse', 'Edit|Write|MultiEdit|NotebookEdit|Bash|apply_patch', 'command'],
        ['PostToolUseFailure', 'Bash', 'command'],
        ['Stop', undefined, 'command'],
      ],
    );
    for (const { event: of, command, timeout } of all) {
      const [, file, event] = /^node "([^"]+)" hook ([\w-]+)$/u.exec(command) ?? [];
      assert.ok(
        hookNames.some(it => it === event),
        command,
      );
      assert.equal(hookOf(of), event);
      assert.ok(timeout * 1_000 > hookEvents[event as keyof typeof hookEvents].timeoutMs + 1_500, command);
      assert.ok(existsSync(inPlace(file!)), file);
    }
  });

  it('starts the MCP server', () => {
    const { mcpServers } = readJson('.mcp.json') as {
      readonly mcpServers: Record<string, { readonly args: string[] }>;
    };
    const { args } = mcpServers.recollect!;
    assert.ok(existsSync(inPlace(args[0]!)));
    assert.deepEqual(args.slice(1), ['mcp']);
  });
});

function inPlace(file: string): string {
  return file.replace('${CLAUDE_PLUGIN_ROOT}', plugin);
}
