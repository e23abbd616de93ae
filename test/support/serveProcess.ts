import { spawn, type ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { closeAfterTest, temporaryFolder } from './fixtures.js';

export interface ServeOptions {
  readonly dataDir?: string;
  readonly cwd?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface HttpCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly rawBody?: string | Buffer;
}

/** The real bundle as a server, in a home of its own. */
export interface ServeProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly port: number;
  readonly dataDir: string;
  readonly cwd: string;
  /** What it has written to stdout and stderr so far. */
  readonly output: () => string;
  /** Calls a path with the token, unless the headers name another one. */
  call(path: string, call?: HttpCall): Promise<HttpAnswer>;
  /** Ends it by a signal; resolves with the exit code, or the signal that killed it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Starts `recollect serve`, and ends it after the test. @throws Error with its output where it does not listen */
export async function startServe(options: ServeOptions = {}): Promise<ServeProcess> {
  const { dataDir = temporaryFolder(), cwd = temporaryFolder(), args = [], env = {} } = options;
  const child = spawn(process.execPath, [path.resolve('dist/cli.js'), 'serve', '--json', ...args], {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: temporaryFolder(),
      RECOLLECT_HOME: dataDir,
      RECOLLECT_EMBEDDINGS: 'static',
      ...env,
    },
  });
  let output = '';
  for (const it of [child.stdout, child.stderr]) it.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | NodeJS.Signals | null>(resolve => {
    child.once('close', (code, signal) => {
      resolve(signal ?? code);
    });
  });
  const end = (signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> => {
    child.kill(signal);
    return ended;
  };
  closeAfterTest(() => end('SIGKILL'));
  const line = await Promise.race([
    new Promise<string>(resolve => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then(code => {
      throw new Error(`recollect serve ended with ${code}: ${output}`);
    }),
  ]);
  const { url, token = '' } = JSON.parse(line) as { readonly url: string; readonly token?: string };
  const port = Number(new URL(url).port);
  return {
    child,
    url,
    token,
    port,
    dataDir,
    cwd,
    output: () => output,
    end,
    call: (target, call = {}) => callHttp(port, target, { ...call, headers: { ...bearer(token), ...call.headers } }),
  };
}

export const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

/** By Node's own client, which sends the Host and the Origin that it is given. */
export function callHttp(port: number, target: string, call: HttpCall): Promise<HttpAnswer> {
  const { body, rawBody = body === undefined ? undefined : JSON.stringify(body), headers = {} } = call;
  const method = call.method ?? (rawBody === undefined ? 'GET' : 'POST');
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: target, method, headers: { ...json, ...headers } },
      answer => {
        let text = '';
        answer.setEncoding('utf8').on('data', (it: string) => (text += it));
        answer.once('error', reject).once('end', () => {
          const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
          const data = isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {};
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, data });
        });
      },
    );
    sent.once('error', reject);
    sent.end(rawBody);
  });
}
