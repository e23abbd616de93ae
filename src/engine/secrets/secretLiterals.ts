import { requiredKeywords } from '../text/keywordPrefilter.js';
import { secretRules } from './secretRules.js';

/** Of the patterns of `secretRules`, in their order. The build works it out: 9 ms of a process's first recall. */
export const secretLiterals = secretRules.map(it => requiredKeywords(it.pattern));
