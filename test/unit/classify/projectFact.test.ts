import assert from 'node:assert/strict';
import { looksLikeProjectFact, speaksOfOnePerson } from '../../../src/engine/classify/projectFact.js';

const ofTeam: readonly string[] = [
  'We squash every merge.',
  "We're on Tuesdays' release train.",
  'Our tests do I/O in a temporary folder.',
  'We deploy on Mon and host in the EU.',
  'Wir deployen freitags nie.',
  'Unsere Tests laufen mit Vitest.',
  'Nous déployons le mardi.',
  'Nuestros tests usan Vitest.',
  'Noi usiamo i tab.',
  'Nossos testes usam Vitest.',
  'Onze tests draaien op Vitest.',
  'Мы выпускаем по вторникам.',
  '我们每周二发布。',
  '私たちは火曜日に公開する。',
  'Always squash commits before a merge.',
  'Never write for the US market.',
];
const ofOne: readonly string[] = [
  'We squash every merge, but i do not.',
  'We use tabs in my editor.',
  'Wir deployen freitags, ich mag das nicht.',
  'Unsere Tests sollen mir kurze Ausgaben zeigen.',
  'Nous déployons le mardi, mais je préfère le lundi.',
  "Notre projet me plaît, j'aime les tests courts.",
  'Nuestros tests son lentos, yo los prefiero cortos.',
  'Prefiero que nuestro build sea corto.',
  'I nostri test sono lenti e io li preferisco corti.',
  'Prefiro tabs nos testes.',
  'Nossos testes são lentos, eu quero testes curtos.',
  'Onze tests zijn traag, ik wil korte tests.',
  'Мы выпускаем по вторникам, а я люблю среды.',
  '我们周二发布，但我喜欢周三。',
  '私たちは火曜日だが、私は水曜日が好き。',
];

describe('a text that speaks of one person', function () {
  for (const content of ofTeam) {
    it(`takes ${JSON.stringify(content)} for the team's`, () => {
      assert.equal(speaksOfOnePerson({ content, tags: [] }), false);
    });
  }
  for (const content of ofOne) {
    it(`takes ${JSON.stringify(content)} for one person's`, () => {
      assert.equal(speaksOfOnePerson({ content, tags: [] }), true);
    });
  }

  it('looks at the tags too', () => {
    const content = 'Wir deployen freitags nie.';
    assert.equal(speaksOfOnePerson({ content, tags: ['deploy', 'freitag'] }), false);
    for (const tag of ['my habit', 'meine-regel', 'ich'])
      assert.equal(speaksOfOnePerson({ content, tags: [tag] }), true, tag);
  });

  it('takes no statement of a person for a fact of a project, in any of the languages', () => {
    for (const content of ['Ich kenne die Tests.', 'Yo conozco los tests.', 'Ik ken de tests.', 'Я знаю тесты.']) {
      const memory = { content, gate: 'epistemic', provenance: { source: 'explicit' } } as const;
      assert.equal(looksLikeProjectFact(memory), false, content);
    }
  });
});
