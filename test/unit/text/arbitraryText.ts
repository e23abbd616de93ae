import fc from 'fast-check';

/** Any sequence of UTF-16 units, lone surrogates and control characters included, with ordinary ones more often. */
export function arbitraryText(maxLength = 60): fc.Arbitrary<string> {
  const unit = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Array.from('aeiou stnrIWE.,:;!?"\'`-_/()*#1234\n')) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }).map(code => String.fromCharCode(code)) },
  );
  return fc.array(unit, { maxLength }).map(units => units.join(''));
}
