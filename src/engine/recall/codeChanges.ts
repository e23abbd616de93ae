import { codeStates } from '../anchors/codeState.js';
import { newCodeSearch } from '../base/codeHash.js';
import type { Hit } from '../model/query.js';

/** The hits with what has become of their code since they were told. @param folders of the open projects */
export async function withCodeStates(folders: readonly string[], hits: readonly Hit[]): Promise<readonly Hit[]> {
  const states = await codeStates(
    folders,
    hits.map(it => it.memory),
    newCodeSearch(),
  );
  return hits.map(({ code: _, ...hit }) => {
    const code = states.get(hit.memory.id);
    return code === undefined ? hit : { ...hit, code };
  });
}
