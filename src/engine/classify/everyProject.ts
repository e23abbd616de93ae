/** "In all my projects", "across each of my repositories", "in every project I work on". */
const everyProjectPattern =
  /\b(?:in|for|across) (?:all|each|every one) (?:of )?my (?:projects|repos|repositories|code ?bases)\b|\bin (?:all|every) projects? (?:i work on|of mine)\b/iu;

/** Whether a statement says that it holds in all projects of the person. English. Linear, never throws. */
export function saysEveryProject(statement: string): boolean {
  return everyProjectPattern.test(statement);
}
