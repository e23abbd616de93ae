import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { MemoryEngine } from '../../src/engine/engine.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { PostgresConnection } from '../../src/engine/database/postgres/postgresConnection.js';
import type { RememberInput } from '../../src/engine/model/rememberInput.js';
import type { ShareInput, TeamSyncReport } from '../../src/engine/model/team.js';
import { addMember, makeTeam } from '../../src/engine/team/server/teamAdministration.js';
import { TeamServer } from '../../src/engine/team/server/teamServer.js';
import type { TeamLine } from '../../src/engine/team/teamLine.js';
import { storeMemory, TestHost } from '../support/fixtures.js';
import type { PostgresServer } from '../support/postgresServer.js';

/** Names that no other test of the run has. */
let number = 0;
export function freshName(word: string): string {
  return `${word}${String(number++)}`;
}

export function addressOf(server: PostgresServer, login: string, password: string, rest = ''): string {
  return `postgres://${login}:${password}@127.0.0.1:${String(server.port)}/team${rest}`;
}

export async function withAdmin<T>(
  server: PostgresServer,
  work: (connection: PostgresConnection) => Promise<T>,
): Promise<T> {
  const settings = await readPostgresSettings(addressOf(server, 'admin', 'admin'), {});
  const connection = await PostgresConnection.open(settings!);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

export async function createTeam(server: PostgresServer): Promise<string> {
  const name = freshName('Team ');
  await withAdmin(server, it => makeTeam(it, name));
  return name;
}

/** A member of a team with a project and a memory of their own. */
export class Person {
  readonly host: TestHost & { secret?: (name: string) => Promise<string | undefined> } = new TestHost({
    project: true,
  });
  engine!: MemoryEngine;

  private constructor(
    readonly server: PostgresServer,
    readonly login: string,
    readonly password: string,
  ) {
    this.host.secret = name =>
      Promise.resolve(name === 'teamConnection' ? addressOf(server, login, password) : undefined);
  }

  /** A new login in the team, which is not connected yet. @param folder of the project, where it is not a new one */
  static async join(server: PostgresServer, team: string, name: string, folder?: string): Promise<Person> {
    const login = freshName(name.toLowerCase());
    const { password } = await withAdmin(server, it => addMember(it, { team, role: login, name }));
    const person = new Person(server, login, password!);
    if (folder !== undefined) person.host.workspaceFolders = [folder];
    person.engine = await person.host.open();
    return person;
  }

  /** The same person on another machine. */
  async onAnotherMachine(): Promise<Person> {
    const other = new Person(this.server, this.login, this.password);
    other.engine = await other.host.open();
    return other;
  }

  async connect(project = 'shop'): Promise<this> {
    await this.engine.team.connect(await this.engine.team.previewConnect({ project }));
    return this;
  }

  /** A confirmed memory of the project; its id. */
  keep(content: string, rest: Partial<RememberInput> = {}): Promise<string> {
    return storeMemory(this.engine, content, { store: 'project', gate: 'epistemic', ...rest });
  }

  /** Shares without sending. */
  async share(id: string, rest: Partial<ShareInput> = {}): Promise<void> {
    this.host.time += 1_000;
    const preview = await this.engine.team.previewShare({ references: [id], ...rest });
    if (preview.refused.length > 0) throw new Error(preview.refused[0]!.reason);
    await this.engine.team.share(preview);
  }

  sync(): Promise<TeamSyncReport> {
    this.host.time += 1_000;
    return this.engine.team.sync();
  }

  /** What came, as `added text`. */
  async receive(): Promise<readonly string[]> {
    const { read, problem } = await this.sync();
    if (problem !== undefined) throw new Error(problem);
    return read.changes.map(it => `${it.what} ${it.content}`);
  }

  query(sql: string, values?: readonly unknown[]): ReturnType<PostgresServer['query']> {
    return this.server.query({ user: this.login, password: this.password }, sql, values);
  }

  /** Sends one line to the server past the person's own memory. */
  async push(project: string, line: TeamLine): Promise<void> {
    await this.withServer(it => it.push(project, line));
  }

  async withServer<T>(work: (server: TeamServer) => Promise<T>): Promise<T> {
    const settings = await readPostgresSettings(addressOf(this.server, this.login, this.password), {});
    const connection = await PostgresConnection.open(settings!);
    try {
      return await work(await TeamServer.open(connection));
    } finally {
      await connection.close();
    }
  }

  /** Everything in the person's data folder that holds a text. */
  filesWith(text: string): string {
    try {
      return execFileSync('grep', ['-rlaF', text, path.dirname(this.host.dataDir)], { encoding: 'utf8' });
    } catch {
      return ''; // grep found nothing.
    }
  }
}

/** Two members of a new team, connected to one project. */
export async function connectTwo(server: PostgresServer): Promise<{ ada: Person; ben: Person; team: string }> {
  const team = await createTeam(server);
  const [ada, ben] = [await Person.join(server, team, 'Ada'), await Person.join(server, team, 'Ben')];
  return { ada: await ada.connect(), ben: await ben.connect(), team };
}
