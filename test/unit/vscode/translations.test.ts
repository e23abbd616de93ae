import assert from 'node:assert/strict';
import { languages, readTranslations } from '../../../scripts/l10n.mjs';

/** Names and signs that are the same in every language. */
const names = /\b(?:Claude Code|Codex|Copilot CLI|Recollect|VS Code|KB|MB)\b|postgres:\/\/\S+|\{\d\}/gu;

/** Words that a language shares with English. A value may be the English one only where it has no other words. */
const sharedWords: Readonly<Record<string, string>> = {
  de: 'branch cache chats code details global graph in markdown offline person plan tags team',
  fr:
    'architecture cache code contradiction contradictions correction cross-encoder description descriptions durable ' +
    'global maintenance note notes permanent plan plans quota score session sessions tags',
  es: 'global plan tokens',
  'zh-cn': '',
  ja: '',
};

/** What stays as it is in every language, by what it is. */
const kept: Readonly<Record<string, RegExp>> = {
  placeholders: /\{\d+\}/gu,
  code: /`[^`\n]+`/gu,
  links: /\]\([^)]*\)/gu,
  icons: /\$\([\w-]+\)/gu,
  'setting ids': /\brecollect(?:\.\w+)+/gu,
  options: /(?<![\w-])--[a-z][\w-]*/gu,
  variables: /\b(?:[A-Z]+_[A-Z_]+|PG[A-Z]+)\b/gu,
  'numbers of memories': /#\{\d\}/gu,
  // They say that a question follows.
  'dots at the end': /…$/gu,
};

describe('translations', () => {
  const translations = readTranslations();

  for (const { language, file, english, strings, missing, leftOver } of translations) {
    const keys = Object.keys(english).filter(it => Object.hasOwn(strings, it));

    it(`translate every English string into ${language}, and no other (${file})`, () => {
      assert.deepEqual({ missing, leftOver }, { missing: [], leftOver: [] });
    });

    it(`keep in ${language} what must stay as it is (${file})`, () => {
      assert.deepEqual(
        keys.flatMap(it => findChanges(english[it]!, strings[it]!).map(what => `${what}: ${strings[it]!}`)),
        [],
      );
    });

    it(`say in words of ${language} what English says (${file})`, () => {
      const untranslated = keys.filter(
        it => strings[it]!.trim() === '' || (strings[it] === english[it] && !isShared(strings[it]!, language)),
      );
      assert.deepEqual(untranslated, []);
    });
  }

  for (const language of languages) {
    it(`name commands in ${language} as the palette and the menus name them`, () => {
      const ofLanguage = translations.filter(it => it.language === language);
      const titles = new Map<string, Set<string>>();
      for (const { english, strings } of ofLanguage) {
        for (const [key, title] of Object.entries(english)) {
          titles.set(title, (titles.get(title) ?? new Set()).add(strings[key] ?? ''));
        }
      }
      const misnamed = ofLanguage.flatMap(({ english, strings }) =>
        Object.entries(strings).flatMap(([key, text]) =>
          quotedTitles(english[key] ?? '').flatMap(title => {
            const translated = [...(titles.get(title) ?? titles.get(`${title}…`) ?? [])];
            const isNamed = translated.length === 0 || translated.some(it => text.includes(it.replace(/…$/u, '')));
            return isNamed ? [] : [`${title} is ${translated.join(' or ')}: ${text}`];
          }),
        ),
      );
      assert.deepEqual(misnamed, []);
    });
  }

  it('quote a title in English with the dots that say that a question follows', () => {
    const english = new Set(translations.flatMap(it => Object.values(it.english)));
    const withoutDots = [...english].flatMap(text =>
      quotedTitles(text).filter(title => english.has(`${title}…`) && !english.has(title)),
    );
    assert.deepEqual(withoutDots, []);
  });

  it('detect what is lost in a translation', () => {
    const lost: readonly (readonly [english: string, translated: string, what: string])[] = [
      ['Forgotten: {0}', 'Vergessen', 'placeholders'],
      ['Set `{0}` first', 'Zuerst {0} setzen', 'code'],
      ['[Try Again](command:recollect.retry)', '[Noch einmal](command:recollect.again)', 'links'],
      ['Choose recollect.embeddings', 'recollect.einbettungen wählen', 'setting ids'],
      ['List them: recollect import --list', 'Auflisten: recollect import --liste', 'options'],
      ['Set PGHOST', 'Den Server angeben', 'variables'],
      ['Move…', 'Verschieben', 'dots at the end'],
    ];
    for (const [english, translated, what] of lost) assert.ok(findChanges(english, translated).includes(what), what);
    assert.deepEqual(findChanges('{0} of {1}', '{1} 件中 {0} 件'), []);
    assert.deepEqual(
      ['Forget', '{0} KB', 'Team: {0}'].map(it => isShared(it, 'de')),
      [false, true, true],
    );
  });
});

/** @returns the kinds of {@link kept} of which a translation has others than the English string */
function findChanges(english: string, translated: string): readonly string[] {
  const found = (text: string, what: RegExp): string => [...new Set(text.match(what))].sort().join(' ');
  return Object.entries(kept).flatMap(([kind, what]) =>
    found(english, what) === found(translated, what) ? [] : [kind],
  );
}

/** Texts in quotation marks and of links to commands, some of which are titles of commands. */
function quotedTitles(english: string): readonly string[] {
  const quoted = [...english.matchAll(/["“]([^"“”{}]+)["”]|\[([^\]]+)\]\(command:/gu)];
  return quoted.map(it => (it[1] ?? it[2]!).replace(/^Recollect: /u, ''));
}

/** Whether a value may be the English one: it has no words, or only names and words that both languages have. */
function isShared(value: string, language: string): boolean {
  const words = value.replace(names, ' ').match(/[\p{L}-]*\p{L}/gu) ?? [];
  const shared = sharedWords[language]!.split(' ');
  return words.every(it => shared.includes(it.toLowerCase()));
}
