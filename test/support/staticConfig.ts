import { defaultConfig, type Config } from '../../src/engine/model/config.js';

/** The defaults with the static model, whose similarities do not depend on how fast a thread loads the encoder. */
export const staticConfig: Config = { ...defaultConfig, embeddings: 'static' };
