import { codeKinds } from '../../model/memory.js';

/** For `kind NOT IN (…)`: what is compared with nothing. */
export const codeKindsSql = codeKinds.map(it => `'${it}'`).join(', ');
