// Compares the translations with the English strings. `npm run l10n`, with `-- --prune` to drop what is left over
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Languages beside English, as VS Code names them. */
export const languages = ['de', 'fr', 'es', 'zh-cn', 'ja'];

/** The English files, and the file of a language for each. */
const sources = [
  { english: 'package.nls.json', translated: (/** @type {string} */ it) => `package.nls.${it}.json` },
  {
    english: 'media/l10n/bundle.l10n.json',
    translated: (/** @type {string} */ it) => `media/l10n/bundle.l10n.${it}.json`,
  },
];

/**
 * @typedef {object} Translation of one English file into one language.
 * @property {string} language
 * @property {string} file relative to the root of the project; may be missing
 * @property {Readonly<Record<string, string>>} english strings by key
 * @property {Readonly<Record<string, string>>} strings by key; none where the file is missing
 * @property {readonly string[]} missing keys without a translation
 * @property {readonly string[]} leftOver keys that English has no more
 */

/** @returns {readonly Translation[]} read from the current folder */
export function readTranslations() {
  return sources.flatMap(({ english, translated }) => {
    const source = readStrings(english);
    return languages.map(language => {
      const file = translated(language);
      const strings = existsSync(file) ? readStrings(file) : {};
      const missing = Object.keys(source).filter(it => !Object.hasOwn(strings, it));
      const leftOver = Object.keys(strings).filter(it => !Object.hasOwn(source, it));
      return { language, file, english: source, strings, missing, leftOver };
    });
  });
}

/** @param {string} file @returns {Readonly<Record<string, string>>} */
const readStrings = file => JSON.parse(readFileSync(file, 'utf8'));

/** @param {Translation} translation */
function prune({ file, english, strings }) {
  const kept = Object.keys(english).filter(it => Object.hasOwn(strings, it));
  const text = JSON.stringify(Object.fromEntries(kept.map(it => [it, strings[it]])), undefined, 2);
  writeFileSync(file, `${text}\n`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const isPruned = process.argv.includes('--prune');
  for (const translation of readTranslations()) {
    const { file, missing, leftOver } = translation;
    console.log(`${file}: ${missing.length} missing, ${leftOver.length} left over`);
    for (const it of missing) console.log(`  missing    ${JSON.stringify(it)}`);
    for (const it of leftOver) console.log(`  left over  ${JSON.stringify(it)}`);
    if (isPruned && leftOver.length > 0) prune(translation);
    if (missing.length > 0 || (leftOver.length > 0 && !isPruned)) process.exitCode = 1;
  }
}
