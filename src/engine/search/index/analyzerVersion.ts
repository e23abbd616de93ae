/**
 * Version of the text analysis for the search index: terms, and which texts of a memory they are taken of. Raise it with every
 * change of these; an index of another version is rebuilt. `analyzerVersion.test.ts` fails when the terms of a text change and
 * this does not.
 */
export const analyzerVersion = 8;
