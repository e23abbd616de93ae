import { folderForWrite, type Context } from '../context.js';
import type { MemorySource } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { currentBranch } from '../store/gitBranches.js';
import type { PreparedFact } from './prepareFact.js';
import { isStorableField } from './validateInput.js';

/**
 * Sources of what is said now, in the folder that is open. A session that is captured says itself on which branch it was, and
 * what is imported or synced was learned elsewhere.
 */
const presentSources: readonly MemorySource[] = ['explicit', 'extension-tool', 'mcp', 'http'];

/** The branches that facts of a project were learned on; each folder is looked at once. */
export class BranchRecorder {
  private readonly branches = new Map<string, Promise<string | undefined>>();

  constructor(private readonly ctx: Context) {}

  /** The fact with the branch that is checked out in its project's folder, where there is one. */
  async record(fact: PreparedFact, { source, branch, at, uri }: RememberInput): Promise<PreparedFact> {
    if (branch !== undefined || at !== undefined || !presentSources.includes(source)) return fact;
    const folder = fact.store.kind === 'project' ? folderForWrite(this.ctx, fact.store, uri) : undefined;
    const checkedOut = folder === undefined ? undefined : await this.branchOf(folder);
    if (checkedOut === undefined) return fact;
    const { memory } = fact;
    return { ...fact, memory: { ...memory, provenance: { ...memory.provenance, branch: checkedOut } } };
  }

  private branchOf(folder: string): Promise<string | undefined> {
    const known = this.branches.get(folder);
    if (known !== undefined) return known;
    // A name with a secret in it is not kept.
    const read = currentBranch(folder).then(it => (it !== undefined && isStorableField(it) ? it : undefined));
    this.branches.set(folder, read);
    return read;
  }
}
