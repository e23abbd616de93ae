import assert from 'node:assert/strict';
import { findSecret, redactSecrets } from '../../../src/engine/secrets/secretScanner.js';
import { textsLikeSecrets, textsWithSecret } from '../../support/writtenSecrets.js';

describe('secrets in texts of people, files and commands', () => {
  for (const { kind, text, secret } of textsWithSecret) {
    it(`are found (${kind}): ${JSON.stringify(text.slice(0, 90))}`, () => {
      assert.notEqual(findSecret(text), undefined);
      assert.ok(!redactSecrets(text).includes(secret!), redactSecrets(text));
    });
  }

  for (const { kind, text } of textsLikeSecrets) {
    it(`are not seen (${kind}) in: ${JSON.stringify(text.slice(0, 90))}`, () => {
      assert.equal(redactSecrets(text), text);
    });
  }

  it('are not seen where four letters of a prefix stand in Base64', () => {
    const body = 'h7Wq2Nd9Rk4Tb8Jc3Vm6Ys1Pf5Lx0GzE'.repeat(4);
    for (const prefix of ['AT' + 'BB', 'LT' + 'AI', 'AK' + 'Cp', 'EA' + 'AM', 'AQ' + 'VN'])
      assert.equal(findSecret(`The checksum of the archive is x${body.slice(0, 20)}${prefix}${body}=`), undefined);
    assert.equal(findSecret(`clone with ATBB${body.slice(0, 32)}`)?.label, 'Bitbucket token');
  });

  it('are not seen in the names of modulations', () => {
    assert.equal(findSecret('Modulation: QPSK = rate4/7x, BPSK: 1.2kbit'), undefined);
  });
});
