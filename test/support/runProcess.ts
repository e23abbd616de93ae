import { spawn } from 'node:child_process';

export interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, with the input on its standard input and no environment but the given one. */
export function runProcess(
  [program, ...args]: readonly [string, ...string[]],
  options: { readonly input?: string; readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<ProcessResult> {
  const { input = '', cwd, env } = options;
  const child = spawn(program, args, { cwd, env });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (it: string) => (out += it));
  child.stderr.setEncoding('utf8').on('data', (it: string) => (err += it));
  child.stdin.on('error', () => undefined); // A program may end without reading its input.
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => {
      resolve({ code, out, err });
    });
  });
}
