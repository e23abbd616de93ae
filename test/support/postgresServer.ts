import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Client, type QueryResultRow } from 'pg';

/** A real PostgreSQL server of a test's own on loopback, with an empty database. It is gone after {@link stop}. */
export class PostgresServer {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly programs: string,
    readonly folder: string,
    readonly port: number,
  ) {}

  /**
   * With a cluster that asks for passwords, whose administrator is `admin`, password `admin`.
   * @param options.pgvector whether the database has it; it must be installed
   */
  static async start({ pgvector = false }: { readonly pgvector?: boolean } = {}): Promise<PostgresServer> {
    const programs = findPrograms();
    const folder = mkdtempSync('/tmp/recollect-postgres-');
    if (isRoot()) chownSync(folder, ...ownerOfServer());
    const server = new PostgresServer(programs, folder, await freePort());
    server.runAsOwner('sh', ['-c', `echo admin > '${folder}/password'`]);
    server.runAsOwner(path.join(programs, 'initdb'), [
      ...['--pgdata', server.data, '--username=admin', `--pwfile=${folder}/password`, '--auth=scram-sha-256'],
      ...['--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'],
    ]);
    await server.resume();
    await server.asAdmin('CREATE DATABASE team', 'postgres');
    if (pgvector) await server.asAdmin('CREATE EXTENSION vector');
    return server;
  }

  /** Path of a program that comes with the server, such as `psql`. */
  program(name: string): string {
    return path.join(this.programs, name);
  }

  private get data(): string {
    return path.join(this.folder, 'data');
  }

  /** Variables with which a program reaches the server as a login. */
  environment(user: string, password: string): Record<string, string> {
    return { PGHOST: '127.0.0.1', PGPORT: String(this.port), PGUSER: user, PGPASSWORD: password, PGDATABASE: 'team' };
  }

  /** Starts it again where it was halted. @param settings further ones, as `name=value` */
  async resume(settings: readonly string[] = []): Promise<void> {
    if (this.process?.exitCode === null) return;
    const [command, args] = asOwner(path.join(this.programs, 'postgres'), [
      ...['-D', this.data, '-p', String(this.port), '-k', this.folder, '-c', 'listen_addresses=127.0.0.1'],
      ...['-c', 'fsync=off', '-c', 'shared_buffers=16MB', '-c', 'max_connections=40'],
      ...settings.flatMap(it => ['-c', it]),
    ]);
    this.process = spawn(command, args, { stdio: 'ignore', cwd: this.folder });
    for (;;) {
      try {
        await this.asAdmin('SELECT 1', 'postgres');
        return;
      } catch (error) {
        if (this.process.exitCode !== null) throw error;
        await new Promise(resolve => setTimeout(resolve, 100));
      }
    }
  }

  /** Ends it at once, as a power cut does. */
  async halt(): Promise<void> {
    const { process: running } = this;
    if (running?.exitCode !== null) return;
    const ended = new Promise(resolve => running.once('exit', resolve));
    this.runAsOwner(path.join(this.programs, 'pg_ctl'), ['-D', this.data, '-m', 'immediate', 'stop']);
    await ended;
  }

  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
  }

  asAdmin(sql: string, database = 'team'): Promise<readonly QueryResultRow[]> {
    return this.query({ user: 'admin', password: 'admin', database }, sql);
  }

  async query(
    login: { readonly user: string; readonly password: string; readonly database?: string },
    sql: string,
    values: readonly unknown[] = [],
  ): Promise<readonly QueryResultRow[]> {
    const client = new Client({ host: '127.0.0.1', port: this.port, database: 'team', ...login });
    await client.connect();
    try {
      return (await client.query<QueryResultRow>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  private runAsOwner(program: string, args: readonly string[]): void {
    const [command, all] = asOwner(program, args);
    execFileSync(command, all, { stdio: 'pipe', cwd: this.folder });
  }
}

/** PostgreSQL does not run as root. */
function asOwner(program: string, args: readonly string[]): [string, string[]] {
  return isRoot() ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, [...args]];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function ownerOfServer(): [number, number] {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return [id('-u'), id('-g')];
}

/** Of Debian's newest version, or of the PATH. */
function findPrograms(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const found = [
    ...versions.map(it => path.join(debian, it, 'bin')),
    ...(process.env.PATH ?? '').split(path.delimiter),
  ].find(it => existsSync(path.join(it, 'initdb')));
  if (found !== undefined) return found;
  throw new Error('No PostgreSQL server was found: install it (Debian: postgresql), or put initdb on PATH.');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
