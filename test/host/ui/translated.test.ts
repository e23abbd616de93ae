import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { sql } from '../../support/sqlite.js';
import { openEngineOf, runCommandLine, projectFile } from './storeFixtures.js';
import { webviewFrame } from './kit/accessibility.js';
import { sampleMemories } from './kit/sampleMemories.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { answerInput, clickInline, openContainer, runCommand, showTooltip, sideBarRows } from './kit/workbench.js';

const memories: readonly (readonly string[])[] = [
  ...Object.values(sampleMemories),
  ['We deploy from eu-west-1.', '--gate', 'epistemic'],
  ['We deploy from eu-central-1.', '--gate', 'epistemic', '--lane', 'note'],
];
const questions = ['Where do the tide tables come from?', 'Who is the harbour master?'];

/**
 * Texts that are not localized: memory text and its values, names, units, and times, which VS Code's runtime formats.
 */
const known: readonly (string | RegExp)[] = [
  ...memories.map(it => it[0]!),
  ...questions,
  /\beu-(?:west|central)-1\b|\((?:cli|vscode)\)|\bcli\b|\bmain\b|\bharbour\b|\bbuilt-in\b|\bstatic\b|\/\S+\/memory\.db|#[0-9a-f]{8}\b/gu,
  /\bharbour\b|\/\S+\.(?:json|toml)\b/gu,
  /\bClaude (?:Code|Desktop)\b|\bCodex\b|\bopencode\b|\bCursor\b|\bWindsurf\b|\b(?:Gemini|Copilot) CLI\b/gu,
  /\d\s(?:ms|B|KB|MB)\b/gu,
  /\b(?:vor|in) \d+ \p{L}+|\bjetzt\b|(?:vor)?gestern|(?:über)?morgen|\b(?:in )?(?:letzt|dies|nächst)\p{L}+ \p{L}+/gu,
  /\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\., \d+\. \p{L}+\.?/gu,
  /\d+\. (?:Jan|Feb|März|Apr|Mai|Juni|Juli|Aug|Sept|Okt|Nov|Dez)\b/gu,
];

/**
 * A window in German with a pseudo-translation: every string in brackets, with its placeholders outside of them. Visible
 * text that is neither in brackets nor known is not localized.
 */
describe('a localized window', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    translate(storage);
    window = await openWindow(storage, {
      prepare: page => page.addInitScript("globalThis._VSCODE_NLS_LANGUAGE = 'de'").then(() => undefined),
    });
    return window;
  });

  /** A model's word about a memory that a person typed, which only a person settles. */
  async function markReplaced(older: string, newer: string): Promise<void> {
    const engine = await openEngineOf(storage);
    const memories = await engine.list({ limit: 100 });
    const idOf = (text: string): string => memories.find(it => it.content === text)!.id;
    await engine.revise({ id: idOf(older), replacedBy: idOf(newer) }, 'model');
    await engine.close();
  }

  const row = (text: string): Locator => sideBarRows(window).filter({ hasText: text }).first();
  const inspector = async (): Promise<Locator> => (await webviewFrame(window)).locator('#inspector');
  const says = (text: string): Promise<true> =>
    until(`it says ${text}`, async () => (await (await inspector()).textContent())?.includes(text));
  const press = async (role: 'tab' | 'option' | 'button', name: string | RegExp): Promise<void> => {
    await (await inspector()).getByRole(role, { name }).first().click();
  };
  const allTranslated = async (): Promise<void> => {
    const frame = await webviewFrame(window);
    const texts = await frame.evaluate<readonly string[]>(whatIsRead);
    assert.ok(texts.some(it => it.includes('⟦')));
    assert.deepEqual(untranslated(texts), []);
  };

  it('localizes the explorer', async () => {
    for (const args of memories) await runCommandLine(storage, 'remember', ...args);
    await markReplaced('We deploy from eu-west-1.', 'We deploy from eu-central-1.');
    for (const it of questions) await runCommandLine(storage, 'recall', it, '--limit', '2');
    await openContainer(window, 'Recollect');
    await row('⟦Needs You⟧').waitFor();
    await row('Inger is').waitFor();
    const labels = (await sideBarRows(window).all()).map(it => it.getAttribute('aria-label'));
    const spoken = (await Promise.all(labels)).map(it => it ?? '');
    assert.deepEqual(untranslated([...(await sideBarRows(window).allInnerTexts()), ...spoken]), []);
    await row('⟦Which holds? ⟧').waitFor();
    const tooltip = await showTooltip(window, row('Tide tables come'), 'once a night');
    assert.deepEqual(untranslated((await tooltip.innerText()).split('\n')), []);
    await screenshot(window, 'translated-explorer');
  });

  it('localizes the explanation of a recall', async () => {
    await runCommand(window, 'Recollect: Explain Last Answer');
    await says('⟦In the Answer⟧');
    for (const it of await (await inspector()).locator('summary').all()) await it.click();
    await allTranslated();
    await screenshot(window, 'translated-trace');
  });

  it('localizes the other pages of the inspector', async () => {
    await clickInline(window, 'Tide tables come', 'Show in Inspector');
    await (await inspector()).locator('.memory-page > .fold > summary').click();
    await (await inspector()).locator('path.past').first().waitFor({ state: 'attached' });
    await allTranslated();
    await press('button', /Forecast of All/u);
    await (await inspector()).locator('path').first().waitFor({ state: 'attached' });
    await allTranslated();
    await press('tab', /Memories/u);
    const details = (await inspector()).locator('.memory-page > .fold');
    if ((await details.getAttribute('open')) === null) await details.locator('> summary').click();
    await press('button', /Show in the Graph/u);
    await (await inspector()).locator('canvas').waitFor();
    await allTranslated();
    await press('tab', /Inbox/u);
    await press('option', /We deploy/u);
    await says('⟦Which one holds?⟧');
    await allTranslated();
    await press('option', /Forget what has faded/u);
    await sql(
      projectFile(storage),
      `UPDATE memories SET updated_at = '2020-01-01T00:00:00.000Z', reinforced_at = '2020-01-01T00:00:00.000Z'
       WHERE content LIKE 'Heights in%'`,
      "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
    );
    await press('button', /Preview Maintenance/u);
    await says('⟦Nothing was changed yet. A pinned memory stays.⟧');
    await allTranslated();
  });

  it('localizes the problems of a store', async () => {
    await sql(projectFile(storage), 'DELETE FROM memory_terms');
    await press('tab', /Access/u);
    await press('button', /Verify/u);
    await says('⟦Memories missing from the search index: ⟧');
    await allTranslated();
  });

  it('localizes errors', async () => {
    // The page that is opened asks again for the recall that it showed before.
    await sql(projectFile(storage), 'DELETE FROM traces');
    await press('tab', /Answers/u);
    await says('⟦This recall is no longer recorded.⟧');
    await allTranslated();
    await screenshot(window, 'translated-failure');
  });

  it('localizes refusals', async () => {
    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, 'The token is ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3.');
    await window.page.locator('.quick-input-message', { hasText: '⟦It contains a secret (⟧' }).waitFor();
  });
});

/** Every text and label of the inspector. */
const whatIsRead = `(() => {
  const spoken = ['title', 'label', 'placeholder', 'alt', 'aria-label', 'aria-description', 'aria-valuetext',
    'aria-roledescription'];
  const texts = [];
  const read = node => {
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    if (['SCRIPT', 'STYLE'].includes(node.nodeName)) return;
    for (const name of spoken) texts.push(node.getAttribute?.(name) ?? '');
    if (node.shadowRoot) read(node.shadowRoot);
    // A path is in parts, between which a line may break.
    if (node.classList?.contains('path')) texts.push(node.textContent.replace(/\\s+/g, ''));
    else for (const child of node.childNodes) read(child);
  };
  read(document.body);
  return texts;
})()`;

/** Of each text what is neither translated nor known, where that holds words; each once. */
function untranslated(texts: readonly string[]): readonly string[] {
  const left = texts.map(text =>
    known
      .reduce<string>((it, what) => it.replaceAll(what, ' '), text)
      // German joins the last of a list so.
      .replace(/(?<=⟧) und (?=⟦)/gu, ' ')
      .replace(/⟦[^⟦⟧]*⟧/gu, ' '),
  );
  return [...new Set(left.map(it => it.replace(/\s+/gu, ' ').trim()).filter(it => /\p{L}{2}/u.test(it)))];
}

/** Puts the same between brackets, but for its places, for every German string. Commands keep their English titles. */
function translate(storage: Storage): void {
  const extensions = join(storage.folder, 'extensions');
  const name = readdirSync(extensions).find(it => it.startsWith('recollect.recollect'))!;
  rmSync(join(extensions, name, 'package.nls.de.json'));
  const folder = join(extensions, name, 'media', 'l10n');
  const bundle = JSON.parse(readFileSync(join(folder, 'bundle.l10n.json'), 'utf8')) as Record<string, string>;
  const said = Object.keys(bundle).map(it => [it, `⟦${it.replace(/\{\d\}/gu, '⟧$&⟦')}⟧`]);
  writeFileSync(join(folder, 'bundle.l10n.de.json'), JSON.stringify(Object.fromEntries(said)));
}
