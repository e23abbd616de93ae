import { gateDefaults } from '../model/config.js';
import type { Memory } from '../model/memory.js';

/** Words of a person about themselves. */
const personal =
  /\b(?:i|i'm|i've|i'd|my|me|mine|myself|the user|user's)\b|\b(?:every|all|any) (?:project|repo(?:sitory)?)s?\b|\beverywhere\b/iu;
/** Words about this code base, or of the team that shares it. */
const shared =
  /\b(?:we|our|ours|us|the team)\b|\b(?:this|the) (?:repo(?:sitory)?|project|code ?base|monorepo|service|app|api|build|deploy(?:ment)?|pipeline|ci|database|schema|backend|frontend|server|branch)\b/iu;
/** A path, a file name, or a name as code writes it. */
const code =
  /`[^`]+`|(?:^|[\s("'])\.{0,2}\/?[\w.-]+\/[\w./-]+|\b[\w-]+\.(?:[cm]?[jt]sx?|json|ya?ml|toml|sql|py|go|rs|java|md|sh|env)\b/iu;

/**
 * Whether a global memory reads as if it were true of one project only: a fact of no person, or a rule that speaks of a code
 * base. A guess that a person decides about.
 */
export function looksLikeProjectFact(memory: Pick<Memory, 'content' | 'gate' | 'provenance'>): boolean {
  const { content, gate, provenance } = memory;
  if (provenance.uri !== undefined) return true;
  if (personal.test(content)) return false;
  return gateDefaults[gate].store === 'project' || shared.test(content) || code.test(content);
}
