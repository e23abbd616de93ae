import traditionalAndSimplified from './words/chineseCharacters.json';

/** The other characters that each one may be written as; made at the first use. */
let variantsByCharacter: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * A term in the other Chinese script, in every way that its characters may be written there: 資料 is 资料, 发 is 發 and 髮.
 * Empty for a term that is written alike. For terms of the analyzer, which have one or two Chinese characters.
 */
export function chineseVariants(term: string): readonly string[] {
  if (!/^\p{Script=Han}{1,2}$/u.test(term)) return [];
  const variants = (variantsByCharacter ??= indexCharacters());
  const choices = Array.from(term, it => [it, ...(variants.get(it) ?? [])]);
  const [first, second] = [choices[0]!, choices[1] ?? ['']];
  return first.flatMap(one => second.map(two => one + two)).filter(it => it !== term);
}

/**
 * The table has the traditional characters of common use (Big5, level 1), each followed by its simplified form (GB 2312), as in
 * Unicode's Unihan data and OpenCC.
 */
function indexCharacters(): ReadonlyMap<string, readonly string[]> {
  const characters = Array.from(traditionalAndSimplified.join(''));
  const groups = new Map<string, string[]>();
  for (let i = 0; i < characters.length; i += 2) {
    const [traditional, simplified] = [characters[i]!, characters[i + 1]!];
    groups.set(simplified, [...(groups.get(simplified) ?? [simplified]), traditional]);
  }
  const variants = new Map<string, string[]>();
  for (const group of groups.values()) {
    for (const it of group) variants.set(it, [...(variants.get(it) ?? []), ...group.filter(other => other !== it)]);
  }
  return variants;
}
