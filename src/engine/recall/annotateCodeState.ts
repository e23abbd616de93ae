import { readCodeStates } from './codeState.js';
import { newScanBudget } from '../base/codeHash.js';
import type { Hit } from '../model/query.js';

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
