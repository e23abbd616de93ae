/** The number of migrations, for programs that read a store and never migrate one; a test compares the two. */
export const schemaVersion = 5;
