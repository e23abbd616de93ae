import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../src/engine/engine.js';
import type { Memory } from '../../src/engine/model/memory.js';
import type { RememberInput } from '../../src/engine/model/rememberInput.js';
import type { ShareInput, SharePreview, TeamChange, TeamReadReport } from '../../src/engine/model/team.js';
import { storeMemory, temporaryFolder, TestHost } from './fixtures.js';
import { cloneRepository, createRepository, git } from './git.js';

/** A person with a clone of the team's repository and a memory of their own. */
export class TeamMember {
  readonly host = new TestHost();
  engine!: MemoryEngine;

  constructor(
    readonly name: string,
    readonly clone: string,
  ) {
    this.host.workspaceFolders = [clone];
  }

  async open(): Promise<this> {
    this.engine = await this.host.open();
    return this;
  }

  /** A confirmed memory of the project; its id. */
  keep(content: string, rest: Partial<RememberInput> = {}): Promise<string> {
    return storeMemory(this.engine, content, { lane: 'confirmed', store: 'project', gate: 'epistemic', ...rest });
  }

  async share(ids: readonly string[], rest: Partial<ShareInput> = {}): Promise<SharePreview> {
    this.host.time += 1_000;
    const preview = await this.engine.team.previewShare({ references: ids, as: this.name, ...rest });
    await this.engine.team.share(preview);
    return preview;
  }

  git(...args: readonly string[]): string {
    const address = `${this.name.toLowerCase()}@example.com`;
    return git(this.clone, '-c', `user.name=${this.name}`, '-c', `user.email=${address}`, ...args);
  }

  commit(): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', 'Memories');
  }

  push(): void {
    this.commit();
    this.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
    this.git('push', '-q', 'origin', 'HEAD:main');
  }

  async pull(): Promise<TeamReadReport> {
    this.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
    return this.read();
  }

  read(): Promise<TeamReadReport> {
    this.host.time += 1_000;
    return this.engine.team.arrival.read();
  }

  get folder(): string {
    return path.join(this.clone, '.recollect', 'team');
  }

  /** The files with lines. */
  get files(): readonly string[] {
    return readdirSync(this.folder).filter(it => it.endsWith('.jsonl'));
  }

  memories(): Promise<Memory[]> {
    return this.engine.list({ scope: 'project-only', statuses: ['active', 'archived', 'superseded'] });
  }
}

export const summarize = (changes: readonly TeamChange[]): (readonly string[])[] =>
  changes.map(it => [it.what, it.content, it.author]);

/** Two members with a clone each, and a team's folder in both. */
export async function createTeam(): Promise<readonly [TeamMember, TeamMember]> {
  const origin = path.join(temporaryFolder(), 'team.git');
  git(temporaryFolder(), 'init', '-q', '--bare', '-b', 'main', origin);
  const first = createRepository();
  git(first, 'branch', '-M', 'main');
  git(first, 'push', '-q', origin, 'main');
  const a = await new TeamMember('Ada', cloneRepository(origin)).open();
  const b = await new TeamMember('Ben', cloneRepository(origin)).open();
  await a.engine.team.init(await a.engine.team.previewInit());
  a.push();
  b.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
  await b.engine.team.arrival.join();
  return [a, b];
}
