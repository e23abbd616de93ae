import { saysRule } from '../classify/standing.js';
import { folderForWrite, type Context } from '../context.js';
import { normalizeReference, type MemorySource, type StoreKind } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { currentBranch } from '../store/gitBranches.js';
import { noLinks, type LocatedLink, type PreparedFact, type ResolvedLinks } from './prepareFact.js';
import { isStorableField } from '../secrets/storableText.js';

/**
 * Sources of what is said now, in the folder that is open. A session that is captured says itself on which branch it was, and
 * what is imported or synced was learned elsewhere.
 */
const presentSources: readonly MemorySource[] = ['explicit', 'extension-tool', 'mcp', 'http'];

/** Where the isolated sets of a call lie: all of a set is in one store, the global one unless its first caller says project. */
export class SetPlaces {
  private readonly kinds = new Map<string, Promise<StoreKind>>();

  constructor(private readonly ctx: Pick<Context, 'stores'>) {}

  /** The input with the store of its set; as it is without a set. */
  async place(input: RememberInput): Promise<RememberInput> {
    const { scopeId = '', store } = input;
    if (scopeId === '') return input;
    let kind = this.kinds.get(scopeId);
    if (kind === undefined) {
      kind = this.find(scopeId).then(it => it ?? store ?? 'global');
      this.kinds.set(scopeId, kind);
    }
    const found = await kind;
    return found === store || (store === undefined && found === 'global' && input.uri === undefined)
      ? input
      : { ...input, store: found };
  }

  private async find(scopeId: string): Promise<StoreKind | undefined> {
    for (const { store } of this.ctx.stores) {
      // A store that cannot be asked now says so when something is written to it.
      const last = await store.sequence(scopeId).catch(() => 0);
      if (last > 0) return store.kind;
    }
    return undefined;
  }
}

/** Finds the memories that a caller names as linked to its fact; one that is not found is listed and stops nothing. */
export async function resolveLinks(ctx: Context, { links }: RememberInput): Promise<ResolvedLinks> {
  if (links === undefined) return noLinks;
  const unknown: string[] = [];
  const locate = async (reference: string): Promise<LocatedLink[]> => {
    const normalized = normalizeReference(reference);
    const found = await Promise.all(
      ctx.stores.map(async ({ store }) => (await store.resolve(normalized)).map(id => ({ id, store }))),
    );
    if (found.flat().length !== 1) unknown.push(reference);
    return found.flat().length === 1 ? found.flat() : [];
  };
  const [replaces, refines, sameAs] = await Promise.all([
    Promise.all((links.replaces ?? []).map(locate)),
    Promise.all((links.refines ?? []).map(locate)),
    Promise.all((links.sameAs === undefined ? [] : [links.sameAs]).map(locate)),
  ]);
  const replaced = await Promise.all(replaces.flat().map(({ id, store }) => store.get([id])));
  const rule = replaced.flat().find(saysRule);
  return {
    replaces: replaces.flat(),
    refines: refines.flat(),
    sameAs: sameAs.flat()[0],
    unknown,
    ...(rule === undefined ? {} : { rule: { gate: rule.gate, kind: rule.kind } }),
  };
}

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
