import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { RawClient } from '../bench/kit/rawClient.js';
import { temporaryFolder } from '../support/fixtures.js';

interface Day {
  readonly project: string;
  readonly facts: readonly (Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly content: string;
    readonly dueInDays?: number;
  })[];
  readonly tasks: readonly {
    readonly name: string;
    /** Ids of the facts that change what is done right. */
    readonly needs: readonly string[];
    /** Of those that help besides. */
    readonly useful?: readonly string[];
    readonly recall: object;
  }[];
}

const { days } = JSON.parse(readFileSync(path.resolve('test/fixtures/briefing/tasks.json'), 'utf8')) as {
  readonly days: readonly Day[];
};

/** What an assistant has for each task: the ids of the facts in its briefing, and of those that one recall gives. */
interface Given {
  readonly briefing: readonly string[];
  readonly recalls: readonly (readonly string[])[];
}

describe('an assistant with tasks', () => {
  it('has nine of ten things that it needs by its briefing and one recall for each, and few others', async () => {
    let [needed, met, recalled, helpful] = [0, 0, 0, 0];
    const missing: string[] = [];
    for (const day of days) {
      const { briefing, recalls } = await spendDay(day);
      const rules = day.facts.map(it => it.id).filter(it => it.startsWith('R'));
      const unknown = rules.filter(it => !briefing.includes(it));
      assert.ok(unknown.length <= 2, `${day.project} lacks ${unknown.join()}`);
      for (const [i, { name, needs, useful = [] }] of day.tasks.entries()) {
        const lacking = needs.filter(it => !briefing.includes(it) && !recalls[i]!.includes(it));
        if (lacking.length > 0) missing.push(`${name}: ${lacking.join()}`);
        needed += needs.length;
        met += needs.length - lacking.length;
        recalled += recalls[i]!.length;
        helpful += recalls[i]!.filter(it => [...needs, ...useful].includes(it)).length;
      }
    }
    assert.ok(met / needed >= 0.9, `${met} of ${needed}; ${missing.join('; ')}`);
    assert.ok(helpful / recalled >= 0.85, `${helpful} of ${recalled}`);
  });
});

async function spendDay({ facts, tasks }: Day): Promise<Given> {
  const [folder, home] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(path.join(folder, '.git'));
  const env = { RECOLLECT_ENCODER_WAIT: 'forever' };
  const names = new Map<string, string>();
  const server = new RawClient(folder, home, [], env);
  await server.start('claude-code');
  for (const { id, dueInDays, ...fact } of facts) {
    const due = dueInDays === undefined ? {} : { due: dayFromNow(dueInDays) };
    const { result } = await server.call('remember', { facts: [{ ...fact, ...due }] });
    const [outcome] = (result?.structuredContent?.outcomes ?? []) as readonly { readonly id: string }[];
    names.set(outcome!.id, id);
  }
  await server.end();
  const command = [path.resolve('dist/cli.js'), 'briefing', '--for', 'claude-code', '--json'];
  const out = execFileSync(process.execPath, command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: path.join(folder, 'data') },
    encoding: 'utf8',
  });
  const { lines } = JSON.parse(out) as { readonly lines: readonly { readonly id: string }[] };
  const next = new RawClient(folder, home, [], env);
  await next.start('claude-code');
  const recalls: string[][] = [];
  for (const { recall } of tasks) {
    const { result } = await next.call('recall', recall);
    const memories = (result?.structuredContent?.memories ?? []) as readonly { readonly id: string }[];
    recalls.push(memories.map(it => names.get(it.id)!));
  }
  await next.end();
  return { briefing: lines.map(it => names.get(it.id.slice(-8))!), recalls };
}

function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
