import chinese from './words/chineseWords.json';
import tools from './words/developerTools.json';
import developers from './words/developerVocabulary.json';
import everyday from './words/everydayWords.json';

/*
 * Words that developers use for the same thing, as they are common in documentation and conversation; the tables are by subject. In a
 * group, words are separated by commas; a word with several meanings has no group that another meaning would spoil.
 */

/** Abbreviations and long forms, spellings, and words that mean the same. */
export const synonyms: readonly string[] = Object.values(developers.synonyms).flat();

/** Words of one subject that do not mean the same. */
export const relatedWords: readonly string[] = developers.relatedWords;

/**
 * Words of every day that are used for each other when the same is said again. Most have more than one meaning, so that they
 * weigh as little as {@link relatedWords}.
 */
export const everydayWords: readonly string[] = Object.values(everyday).flat();

/**
 * Words of developers that differ between mainland China, Hong Kong and Taiwan. A word that differs by its script alone needs
 * no group (chineseVariants.ts).
 */
export const chineseWords: readonly string[] = chinese;

/** Tools by what they are: the category finds the tool and the tool the category, but no tool finds another. */
export const toolsByCategory: Readonly<Record<string, string>> = tools;
