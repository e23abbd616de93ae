/**
 * Condition on `memories m`: it reads like a standing instruction (text/textFeatures.ts), which is looked at for every
 * question. The schema has an index of such memories with the same words.
 */
export const instructionSql = instructionOf('m.content');

/** @param content name of the column */
export function instructionOf(content: string): string {
  const first =
    "always|never|please (?:always|never)|don''t ever|make sure (?:you|to) always|from now on|whenever|remember to";
  const anywhere = 'when(?:ever)? I (?:ask|mention|talk|request)|from now on';
  return `left(${content}, 800) ~* '^\\W*(?:${first})\\y|\\y(?:${anywhere})\\y'`;
}
