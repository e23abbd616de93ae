import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { codeHash, findCode, newScanBudget, type ScanBudget } from '../base/codeHash.js';
import { isInside } from '../base/paths.js';
import { readRegularText } from '../base/regularFile.js';
import type { CodeState, Memory } from '../model/memory.js';
import type { Hit } from '../model/query.js';
import { projectRoot } from '../store/projectIdentity.js';

/** Larger files are no code that people write; of them nothing is claimed. Bytes. */
const maxSourceBytes = 512 * 1024;

/** A file as it is now: its text, that it is gone, or that nothing is known of it. */
export type AnchorFile = { readonly text: string } | 'gone' | 'unknown';

/**
 * What has become of the code that memories are about, by memory id; absent is what is as it was, and what nothing can be
 * told of. Reads each file once, and only files in the projects of these folders.
 * @param folders absolute
 * @param search shared by all, first come: where it ends, code that is not at its place counts as changed. Left out, each
 * memory has its own.
 */
export async function readCodeStates(
  folders: readonly string[],
  memories: readonly Memory[],
  search?: ScanBudget,
): Promise<ReadonlyMap<string, CodeState>> {
  const states = new Map<string, CodeState>();
  const anchored = memories.filter(it => it.provenance.uri !== undefined);
  if (anchored.length === 0) return states;
  const roots = await projectRoots(folders);
  const filesByPath = new Map<string, Promise<AnchorFile>>();
  for (const memory of anchored) {
    const file = resolveAnchorFile(memory, roots)?.file;
    if (file === undefined) continue;
    const pendingFile = filesByPath.get(file) ?? readAnchorFile(file);
    filesByPath.set(file, pendingFile);
    const state = codeStateInFile(await pendingFile, memory, search);
    if (state !== undefined) states.set(memory.id, state);
  }
  return states;
}

/** The hits with what has become of their code since they were stored. @param folders of the open projects */
export async function annotateCodeState(folders: readonly string[], hits: readonly Hit[]): Promise<readonly Hit[]> {
  const states = await readCodeStates(
    folders,
    hits.map(it => it.memory),
    newScanBudget(),
  );
  return hits.map(({ code: _, ...hit }) => {
    const code = states.get(hit.memory.id);
    return code === undefined ? hit : { ...hit, code };
  });
}

/** The state of a memory's code in its file; undefined = unchanged, or nothing is known. */
export function codeStateInFile(
  file: AnchorFile,
  { provenance: { range, anchorHash } }: Memory,
  search?: ScanBudget,
): CodeState | undefined {
  if (file === 'gone') return 'gone';
  if (file === 'unknown' || anchorHash === undefined) return undefined;
  if (range === undefined) return codeHash(file.text) === anchorHash ? undefined : 'changed';
  const lineCount = range.endLine - range.startLine;
  const at = findCode(file.text, { hash: anchorHash, startLine: range.startLine, lineCount }, search);
  return at === undefined ? 'changed' : undefined;
}

/**
 * Where the open projects lie: the root of the repository around each folder, as it is written and without links. Those
 * that are not there, on a disk that is not mounted, are left out: nothing in them is "gone".
 */
export async function projectRoots(folders: readonly string[]): Promise<string[]> {
  const roots = new Set<string>();
  for (const folder of folders) {
    const { root } = await projectRoot(folder);
    const real = await realpath(root).catch(() => undefined);
    if (real === undefined) continue;
    roots.add(root);
    roots.add(real);
  }
  return [...roots];
}

/** The file that a memory is anchored in, and the project that it lies in; undefined outside of these roots. */
export function resolveAnchorFile(
  { provenance: { uri } }: Memory,
  roots: readonly string[],
): { readonly file: string; readonly root: string } | undefined {
  if (uri?.startsWith('file:///') !== true) return undefined;
  let file: string;
  try {
    file = fileURLToPath(uri);
  } catch {
    return undefined; // A model may send any text.
  }
  const root = roots.find(it => isInside(it, file));
  return root === undefined ? undefined : { file, root };
}

/** Reads a file of a person's code. What is no plain file, a device or a pipe, is not opened. */
export async function readAnchorFile(file: string): Promise<AnchorFile> {
  try {
    return { text: await readRegularText(file, { maxBytes: maxSourceBytes, followLinks: true }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'unknown';
  }
}
