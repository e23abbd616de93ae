import { behavioralCues } from './cues/behavioral.js';
import { correctionCues } from './cues/correction.js';
import { epistemicCues } from './cues/epistemic.js';
import { promissoryCues } from './cues/promissory.js';
import { relationalCues } from './cues/relational.js';

/** The cues of all gates. */
export const gateCues = [...correctionCues, ...behavioralCues, ...relationalCues, ...promissoryCues, ...epistemicCues];
