import { isSupportingCode } from '../scoring/codeWeight.js';
import { findSecret } from '../secrets/secretScanner.js';
import { toWords, unqualifiedName } from './symbolNames.js';

/** Per piece of code. */
const maxUses = 60;
/** Shorter names are used by chance. */
const minNameLength = 4;
const maxCallers = 3;
const maxTests = 2;
const maxTestTitleLength = 100;
/** A shorter name is no token. */
const minTokenLength = 20;

/** A piece of code with the names that it uses. */
export interface PieceUses {
  /** '' for the file itself. */
  readonly key: string;
  readonly uses: readonly string[];
}

/** A test that has a title of its own, with the names that it uses. */
export interface TitledTest {
  readonly title: string;
  readonly uses: readonly string[];
}

/** A file with the names that its code uses. */
export interface FileUses {
  readonly pieces: readonly PieceUses[];
  readonly tests?: readonly TitledTest[];
}

/** Where a declaration is used. */
export interface CodeUsage {
  /** The first few by file and name. */
  readonly callers: readonly { readonly file: string; readonly name: string }[];
  /** The first few tests that name it. */
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

export const noUsage: CodeUsage = { callers: [], tests: [] };

/** Names that code calls, or mentions as a type; none that is a secret. */
export function findUses(code: string, ownName: string): string[] {
  const found = new Set<string>();
  for (const [, called, type] of code.matchAll(
    /(?<![\p{L}\p{N}_$])(?:([\p{L}_$][\p{L}\p{N}_$]{3,60})(?=\s*[(<!])|(\p{Lu}[\p{L}\p{N}_$]{3,60}))/gu,
  )) {
    const name = called ?? type!;
    if (name !== ownName && (name.length < minTokenLength || findSecret(name) === undefined)) found.add(name);
    if (found.size === maxUses) break;
  }
  return [...found];
}

/** Tests with a title, as in `it('reads a port', …)`; each ends where the next one begins. */
export function findTitledTests(text: string): TitledTest[] {
  const starts = [
    ...text.matchAll(
      /(?<![\w$.])(?:it|test|specify|scenario)(?:\.\w+)*\s*(?:\(\s*)?(['"`])((?:\\.|(?!\1)[^\\\n]){4,200})\1/gu,
    ),
  ];
  return starts.map(({ index, 0: whole, 2: title }, i) => ({
    title: title!.replaceAll(/\s+/gu, ' ').replaceAll('`', '').slice(0, maxTestTitleLength),
    uses: findUses(text.slice(index + whole.length, starts[i + 1]?.index ?? text.length), ''),
  }));
}

/** Users of each declaration, by name: a name that several files declare has users in its own file only. */
export class UsageIndex {
  private readonly declaringFiles = new Map<string, Set<string>>();
  private readonly usersByName = new Map<string, { readonly file: string; readonly key: string }[]>();
  private readonly testsByName = new Map<string, { readonly file: string; readonly title: string }[]>();

  /** @param files by path relative to the project */
  constructor(files: ReadonlyMap<string, FileUses>) {
    for (const [file, { pieces }] of files) {
      for (const { key } of pieces) {
        if (key === '' || isSupportingCode({ path: file, symbol: key })) continue;
        const name = unqualifiedName(key);
        const declaring = this.declaringFiles.get(name);
        if (declaring === undefined) this.declaringFiles.set(name, new Set([file]));
        else declaring.add(file);
      }
    }
    for (const file of [...files.keys()].sort()) this.addUses(file, files.get(file)!);
  }

  usageOf(file: string, key: string): CodeUsage {
    const name = unqualifiedName(key);
    if (key === '' || name.length < minNameLength || isSupportingCode({ path: file, symbol: key })) return noUsage;
    const isUnique = this.declaringFiles.get(name)?.size === 1;
    const inScope = (it: { readonly file: string }): boolean => isUnique || it.file === file;
    // The outline of a file or a class shows the first line of its members, which is no use.
    const isOutline = (it: { readonly file: string; readonly key: string }): boolean =>
      it.file === file && (it.key === '' || it.key === key || key.startsWith(`${it.key}.`));
    const callers = (this.usersByName.get(name) ?? []).filter(it => inScope(it) && !isOutline(it));
    const tests = isUnique ? (this.testsByName.get(name) ?? []) : [];
    return {
      callers: callers.slice(0, maxCallers).map(it => ({ file: it.file, name: it.key })),
      tests: tests.slice(0, maxTests),
    };
  }

  private addUses(file: string, { pieces, tests = [] }: FileUses): void {
    const add = <T>(map: Map<string, T[]>, name: string, user: T): void => {
      if (!this.declaringFiles.has(name)) return;
      const users = map.get(name);
      if (users === undefined) map.set(name, [user]);
      else users.push(user);
    };
    for (const { title, uses } of tests) for (const name of uses) add(this.testsByName, name, { file, title });
    for (const { key, uses } of pieces) {
      const isSupporting = isSupportingCode({ path: file, symbol: key });
      for (const name of uses) {
        if (!isSupporting) add(this.usersByName, name, { file, key });
        else if (/test|spec|should/iu.test(key))
          add(this.testsByName, name, { file, title: toWords(unqualifiedName(key)) });
      }
    }
  }
}
