/**
 * Version of the text analysis for the search index: terms. Raise it with every change of these;
 * an index of another version is rebuilt. `analyzerVersion.test.ts` fails when they change and this does not.
 */
export const analyzerVersion = 7;
