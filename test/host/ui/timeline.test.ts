import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { sql } from '../../support/sqlite.js';
import { clickAsMemoriesChange, inspectorIn, testReadability } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { openContainer, runCommand } from './kit/workbench.js';
import { openEngineOf, projectFile, rememberMany, rememberOne, runCommandLine } from './storeFixtures.js';

const weekMs = 7 * 86_400_000;

describe('the timeline', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    window = await openWindow(storage);
    return window;
  });

  const inspector = (): Locator => inspectorIn(window);
  const weeks = (): Locator => inspector().locator('.week');
  const rows = (): Locator => inspector().locator('.week li');
  const openTimeline = async (): Promise<void> => {
    await inspector().getByRole('tab', { name: 'Timeline' }).click();
  };

  it('says that nothing is remembered yet', async () => {
    await openContainer(window, 'Recollect');
    await runCommand(window, 'Recollect: Show Inspector');
    await openTimeline();
    await until('it says so', async () => (await inspector().innerText()).includes('Nothing is remembered yet'));
    await screenshot(window, 'timeline-empty');
  });

  it('lists what was learned, week by week and by kind, with what is archived or replaced', async () => {
    const engine = await openEngineOf(storage);
    const learned: readonly (readonly [weeksAgo: number, content: string, kind: 'decision' | 'context' | 'pitfall'])[] =
      [
        [0, 'Releases are cut from the branch stable.', 'decision'],
        [0, 'The ferry is called Perpetua.', 'context'],
        [0, 'Ada is the keeper of the light.', 'context'],
        [1, 'Never deploy on a Friday before noon.', 'pitfall'],
        [1, 'The pier has two berths.', 'context'],
        [3, 'Tides come from the mapping authority.', 'context'],
        [3, 'We log in UTC.', 'decision'],
        [3, 'The quay is lit until ten.', 'context'],
      ];
    const at = (weeksAgo: number): string => new Date(Date.now() - weeksAgo * weekMs).toISOString();
    await engine.rememberAll(
      learned.map(([weeksAgo, content, kind]) => ({
        content,
        kind,
        gate: 'epistemic' as const,
        source: 'explicit' as const,
        lane: 'confirmed' as const,
        store: 'project' as const,
        whole: true,
        at: at(weeksAgo),
      })),
    );
    const old = await rememberOne(storage, 'The café opens at eight.', '--lane', 'note', '--gate', 'epistemic');
    const replacing = await rememberOne(storage, 'The café opens at nine.', '--lane', 'note', '--gate', 'epistemic');
    await engine.revise({ id: old, replacedBy: replacing }, 'model');
    await engine.close();
    const listed = await runCommandLine(storage, 'list', '--json');
    const quay = (JSON.parse(listed) as readonly { readonly id: string; readonly content: string }[]).find(it =>
      it.content.startsWith('The quay'),
    )!;
    await runCommandLine(storage, 'forget', quay.id);
    await until('there are ten', async () => (await rows().count()) === 10);
    assert.deepEqual(await weeks().locator('h2 .count').allInnerTexts(), ['5 memories', '2 memories', '3 memories']);
    assert.match(await weeks().first().innerText(), /4 Context · 1 Decision/u);
    assert.match(await rows().filter({ hasText: 'at eight' }).innerText(), /replaced/u);
    await until('the quay is forgotten', async () =>
      (await rows().filter({ hasText: 'The quay' }).innerText()).includes('forgotten'),
    );
    await screenshot(window, 'timeline-ten');
  });

  it('has every memory within reach of the Tab key', async () => {
    // A key, because a focus by the pointer is not drawn.
    await inspector().getByRole('tab', { name: 'Timeline' }).press('ArrowLeft');
    await window.page.keyboard.press('ArrowRight');
    await rows().first().waitFor();
    const { reached, ...problems } = await walkByTab(window);
    assert.deepEqual(problems, { missed: [], unseen: [] });
    assert.equal(reached.filter(it => it.includes('neighbour')).length, 10);
  });

  testReadability('timeline', () => window);

  it('opens the page of a memory, and comes back by its tab', async () => {
    await rows().filter({ hasText: 'Never deploy' }).getByRole('button').press('Enter');
    await until('its page shows', async () =>
      (await inspector().locator('h1').innerText()).startsWith('Never deploy on a Friday'),
    );
    await openTimeline();
    await rows().first().waitFor();
  });

  it('shows ten thousand memories a page at a time', async () => {
    await rememberMany(storage, 10_000);
    // From Saturday on, the first week has more than a thousand: its number has a separator.
    const counted = async (): Promise<number> =>
      Number((await weeks().locator('h2 .count').first().innerText()).replaceAll(/\D/gu, ''));
    await until('they are counted', async () => (await counted()) > 9);
    assert.equal(await weeks().count(), 6);
    const before = await rows().count();
    assert.ok(before <= 30, String(before));
    await screenshot(window, 'timeline-10000');
    const more = inspector().locator('.week .more');
    const [first, opened] = [await rows().count(), await more.count()];
    assert.ok(opened > 1, String(opened));
    await clickAsMemoriesChange(more);
    await until('each week has more', async () => (await rows().count()) === first + opened * 100);
    await inspector().locator('vscode-button', { hasText: 'Show Older Weeks' }).click();
    await until('there are older ones', async () => (await weeks().count()) > 6);
    const total = await sql(projectFile(storage), 'SELECT count(*) AS count FROM memories');
    assert.equal(total[0]!.count, 10_010);
  });
});
