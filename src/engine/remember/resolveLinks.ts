import { saysRule } from '../classify/standing.js';
import type { Context } from '../context.js';
import { normalizeReference } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { noLinks, type LocatedLink, type ResolvedLinks } from './prepareFact.js';

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
