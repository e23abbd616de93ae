import { readFileSync } from 'node:fs';

export interface SecurityPromise {
  readonly promise: string;
  /** Paths of tests, and commands of benches, that show it. */
  readonly proofs: readonly string[];
}

/** The table of promises in SECURITY.md, read from the root of the project. */
export function readSecurityPromises(): readonly SecurityPromise[] {
  const [, promises = ''] = readFileSync('SECURITY.md', 'utf8').split('## What is promised\n');
  const [table = ''] = promises.trimStart().split('\n\n');
  return table
    .split('\n')
    .slice(2)
    .map(row => {
      const cells = row.split('|');
      return {
        promise: cells[1]!.trim(),
        proofs: [...cells.at(-2)!.matchAll(/`([^`]+)`/gu)].map(it => it[1]!),
      };
    });
}
