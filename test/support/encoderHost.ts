import { defaultConfig } from '../../src/engine/model/config.js';
import { TestHost } from './fixtures.js';

/** A host with the default settings: the encoder, where the other tests have the static model. */
export function encoderHost(): TestHost {
  const host = new TestHost();
  host.settings = defaultConfig;
  return host;
}

/** Lets each call of the tests around wait for the encoder, however busy the machine is. */
export function waitForEncoder(): void {
  let before: string | undefined;
  beforeEach(() => {
    before = process.env.RECOLLECT_ENCODER_WAIT;
    process.env.RECOLLECT_ENCODER_WAIT = 'forever';
  });
  afterEach(() => {
    if (before === undefined) delete process.env.RECOLLECT_ENCODER_WAIT;
    else process.env.RECOLLECT_ENCODER_WAIT = before;
  });
}
