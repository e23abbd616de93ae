/**
 * Condition of an index of earlier versions, which looked at standing instructions for every question: their programs may
 * use the same database.
 * @param content name of the column
 */
export function instructionOf(content: string): string {
  const first =
    "always|never|please (?:always|never)|don''t ever|make sure (?:you|to) always|from now on|whenever|remember to";
  const anywhere = 'when(?:ever)? I (?:ask|mention|talk|request)|from now on';
  return `left(${content}, 800) ~* '^\\W*(?:${first})\\y|\\y(?:${anywhere})\\y'`;
}
