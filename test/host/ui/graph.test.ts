import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { EdgeType } from '../../../src/engine/model/edge.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { maxSearchLength } from '../../../src/protocol.js';
import { sql } from '../../support/sqlite.js';
import { accessibilityProblems, webviewFrame } from './kit/accessibility.js';
import { inspectorIn, openFromDetails, reloadOnceKept, testReadability } from './kit/inspectorPage.js';
import { walkByTab } from './kit/tabStops.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { clickInline, openContainer, pick, quickInput, runCommand, setTheme, sideBarRows } from './kit/workbench.js';
import { openEngineOf, projectFile, rememberMany, rememberOne, runCommandLine } from './storeFixtures.js';

/** About the harbor, which is linked with the first memory of each topic; a topic's memories are linked with each other. */
const middle = 'The harbour of Skagen is our first customer.';
const topics: readonly (readonly [tags: readonly string[], contents: readonly string[]])[] = [
  [
    ['tide'],
    [
      'Tables come from the mapping authority, once a night.',
      'Heights are metres above chart datum, never feet.',
      'Replace the rule of twelfths by the harmonic method.',
      'The night job that fetches them runs at two.',
    ],
  ],
  [
    [],
    [
      'The crane at berth two lifts two tonnes.',
      'A crane needs a permit at night.',
      'Inger signs the permit of a crane.',
    ],
  ],
  [['release'], ['Never deploy on a Friday before noon.', 'Releases are cut from the branch stable.']],
];
const contradicting = 'The harbour of Skagen is our second customer.';

type Link = readonly [source: string, target: string, type: EdgeType, strength: number];

/** Replaces the edges of the project's store. */
async function linkAll(storage: Storage, links: readonly Link[]): Promise<void> {
  const row = (id: string): string => `(SELECT row FROM memories WHERE id = '${id}')`;
  const values = links.map(
    ([source, target, type, strength]) =>
      `(${row(source)}, ${row(target)}, '${type}', ${strength}, 'Both are of the harbour.', '2026-01-01T00:00:00.000Z', NULL)`,
  );
  await sql(
    projectFile(storage),
    'DELETE FROM edges',
    `INSERT INTO edges (source, target, type, strength, reason, created_at, settled_at) VALUES ${values.join(', ')}`,
    "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
  );
}

/** Remembers the harbor and its topics. */
async function rememberHarbor(storage: Storage): Promise<void> {
  const engine = await openEngineOf(storage);
  const remember = async (content: string, tags: readonly string[] = []): Promise<string> => {
    const input: RememberInput = {
      content,
      tags,
      gate: 'epistemic',
      source: 'explicit',
      lane: 'confirmed',
      store: 'project',
      whole: true,
    };
    const [outcome] = await engine.remember(input);
    return (outcome as { readonly id: string }).id;
  };
  const harbor = await remember(middle);
  const links: Link[] = [];
  for (const [tags, contents] of topics) {
    const ids: string[] = [];
    for (const it of contents) ids.push(await remember(it, tags));
    for (const [i, id] of ids.entries()) {
      links.push([id, harbor, 'relates_to', 0.3]);
      for (const other of ids.slice(0, i)) links.push([id, other, 'relates_to', 0.8]);
    }
  }
  links.push([await remember(contradicting), harbor, 'contradicts', 0.9]);
  await engine.close();
  await linkAll(storage, links);
}

describe('the graph page', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    await rememberHarbor(storage);
    window = await openWindow(storage);
    return window;
  });

  const inspector = (): Locator => inspectorIn(window);
  const legend = (): Locator => inspector().locator('.communities');
  const searchField = (): Locator => inspector().getByRole('searchbox');
  const selected = (): Promise<string> => inspector().locator('.detail .memory').first().innerText();
  const press = (key: string): Promise<void> => window.page.keyboard.press(key);
  const draws = (text: string): Promise<true> =>
    until(`it draws ${text}`, async () =>
      (await inspector().locator('canvas').getAttribute('aria-label'))?.startsWith(text),
    );
  const says = (text: string): Promise<true> =>
    until(`it says ${text}`, async () => (await inspector().locator('.matches').innerText()) === text);
  /** The communities as they stand in the legend, with their counts. */
  const named = async (): Promise<readonly string[]> =>
    (await legend().locator('li').allInnerTexts()).map(it => it.replace(/\s+/gu, ' ').trim());
  /** Whether the ring of the selected memory is around the very middle of the canvas: as far away in most directions. */
  const isCentered = async (): Promise<boolean> =>
    (await webviewFrame(window)).evaluate<boolean>(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const isPainted = (angle, distance) => {
        const x = Math.round(canvas.width / 2 + distance * Math.cos(angle));
        const y = Math.round(canvas.height / 2 + distance * Math.sin(angle));
        return data[(y * canvas.width + x) * 4 + 3] > 100;
      };
      const distances = Array.from({ length: 32 }, (_, i) => {
        const angle = (i * Math.PI) / 16;
        let distance = 0;
        while (isPainted(angle, distance) && distance < 100) distance++;
        while (!isPainted(angle, distance) && distance < 100) distance++;
        return distance;
      });
      const isAround = middle => distances.filter(it => Math.abs(it - middle) <= 2).length >= 24;
      return isPainted(0, 0) && distances.some(it => it < 100 && isAround(it));
    })()`);

  it('draws the links between neighbors, and names the communities with their counts', async () => {
    await openContainer(window, 'Recollect');
    await sideBarRows(window).filter({ hasText: middle }).first().waitFor();
    await clickInline(window, middle, 'Show in Inspector');
    await openFromDetails(inspector(), 'Show in the Graph');
    await draws('Graph of 11 memories with 20 links');
    assert.deepEqual(await named(), ['#release 4', '#tide 4', 'crane, permit 3']);
  });

  it('has a community for each that the visible links connect, and none for what has no link', async () => {
    await inspector().locator('vscode-checkbox[label=contradicts]').click();
    await until('it is in none', async () => (await named()).includes('in no group 1'));
    await screenshot(window, 'graph-none');
    await inspector().locator('vscode-checkbox[label=contradicts]').click();
    await until('it is in one', async () => !(await named()).join().includes('in no group'));
  });

  it('emphasizes a community by keyboard, once while the key is held down, and searches in it alone', async () => {
    const tide = legend().getByRole('button', { name: '#tide' });
    await tide.focus();
    for (const it of ['Enter', 'Enter']) await window.page.keyboard.down(it);
    await window.page.keyboard.up('Enter');
    await until('it is chosen', async () => (await tide.getAttribute('aria-pressed')) === 'true');
    await searchField().fill('night');
    await says('2 of 4');
    await screenshot(window, 'graph-community');
    await searchField().fill('');
    await tide.press('Enter');
    await until('it is no longer', async () => (await tide.getAttribute('aria-pressed')) === 'false');
  });

  it('goes from match to match with Enter, and centers each', async () => {
    await searchField().focus();
    await window.page.keyboard.type('night');
    await says('3 of 11');
    assert.equal(await searchField().getAttribute('maxlength'), String(maxSearchLength));
    // Takes over what an input method offers, and goes nowhere.
    await searchField().dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, composed: true });
    await searchField().dispatchEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true, composed: true });
    const seen: string[] = [];
    for (const key of ['Enter', 'Enter', 'Enter', 'Enter', 'Shift+Enter']) {
      const before = await selected();
      await press(key);
      await until('another one is selected', async () => (await selected()) !== before);
      if (seen.length === 0)
        await until('it is the first', async () =>
          (await inspector().getByRole('status').textContent())?.startsWith('1 of 3: '),
        );
      seen.push(await selected());
      await until('it is in the middle', isCentered);
    }
    assert.deepEqual([new Set(seen).size, seen[3], seen[4]], [3, seen[0], seen[2]]);
    assert.ok(
      seen.every(it => it.includes('night')),
      seen.join('\n'),
    );
    await until('it is announced', async () =>
      (await inspector().getByRole('status').textContent())?.startsWith('3 of 3: '),
    );
    await screenshot(window, 'graph-search');
  });

  it('keeps what was searched for and the chosen community after a reload', async () => {
    await legend().getByRole('button', { name: 'crane' }).press('Enter');
    // Another text than that of the tests before, of which VS Code may have kept the state.
    await searchField().fill('permit');
    await says('2 of 3');
    await reloadOnceKept(window, '"search":"permit","community":"');
    await says('2 of 3');
    assert.equal(await legend().getByRole('button', { pressed: true }).count(), 1);
    await legend().getByRole('button', { name: 'crane' }).press('Enter');
  });

  it('offers every memory where nothing drawn matches, with what was typed', async () => {
    await searchField().fill('lighthouse');
    await says('0 of 11');
    await screenshot(window, 'graph-no-match');
    await searchField().press('Tab');
    await press('Enter');
    await quickInput(window).waitFor();
    assert.equal(await quickInput(window).inputValue(), 'lighthouse');
    await press('Escape');
    await searchField().press('Escape');
    await until('it is empty', async () => (await searchField().inputValue()) === '');
    assert.equal(await inspector().locator('.matches').count(), 0);
  });

  it('takes a memory out that was deleted for good, also where it is the one that the graph began with', async () => {
    const purge = (id: string): Promise<string> => runCommandLine(storage, 'delete', id, '--yes');
    const added = ['The pilot boat is yellow.', 'The pilot boat lies at pier two.'] as const;
    const [first, second] = [await rememberOne(storage, added[0]), await rememberOne(storage, added[1])];
    await runCommandLine(storage, 'link', first, 'refines', second);
    await inspector().locator('vscode-button', { hasText: 'Choose Memory…' }).click();
    await quickInput(window).fill('pilot boat is yellow');
    await pick(window, added[0]);
    await draws('Graph of 2 memories');
    await purge(second);
    await draws('Graph of 1 memory');
    await purge(first);
    await inspector().getByText('This memory no longer exists').waitFor();
    await screenshot(window, 'graph-gone');
    await inspector().locator('vscode-button', { hasText: 'Choose Memory…' }).click();
    await quickInput(window).fill('harbour of Skagen is our first');
    await pick(window, middle);
    await draws('Graph of 11 memories with 20 links');
  });

  it('has everything within reach of the Tab key', async () => {
    // A key, because a focus by the pointer is not drawn.
    await inspector().getByRole('tab', { name: 'Memories' }).press('ArrowRight');
    await press('ArrowLeft');
    await openFromDetails(inspector(), 'Show in the Graph');
    await draws('Graph of 11');
    await inspector().getByRole('tab', { name: 'Memories' }).focus();
    const { reached, ...problems } = await walkByTab(window);
    assert.deepEqual(problems, { missed: [], unseen: [] });
    assert.equal(reached.filter(it => it.includes('class="community"')).length, (await named()).length);
  });

  testReadability('graph', () => window);

  it('names and searches the communities of some hundred of ten thousand memories', async () => {
    await rememberMany(storage, 10_000);
    const rows = await sql(
      projectFile(storage),
      `SELECT id FROM memories WHERE content LIKE 'Buoy %' ORDER BY row LIMIT 320 OFFSET 7`,
    );
    const ids = rows.map(it => String(it.id));
    const spokes = 40;
    await linkAll(
      storage,
      ids.flatMap((id, i): Link[] => {
        const hub = i - (i % spokes);
        if (i === hub) return i === 0 ? [] : [[id, ids[0]!, 'relates_to', 0.4]];
        const neighbor = ids[hub + 1 + ((i * 7) % (spokes - 1))]!;
        return [
          [id, ids[hub]!, 'relates_to', 0.6],
          ...(neighbor === id ? [] : [[id, neighbor, 'refines', 0.5] as const]),
        ];
      }),
    );
    await inspector().locator('vscode-button', { hasText: 'Choose Memory…' }).click();
    await quickInput(window).fill('Buoy 7 lies');
    await pick(window, 'Buoy 7 lies');
    for (let hub = spokes; hub < ids.length; hub += spokes) {
      const next = inspector().locator('.neighbours li', { hasText: `Buoy ${7 + hub} lies` });
      await next.locator('.icon-button').click();
      await until('it is expanded', async () => (await selected()).startsWith(`Buoy ${7 + hub} lies`));
      await inspector().locator('.neighbours li', { hasText: 'Buoy 7 lies' }).locator('.neighbour').click();
    }
    await draws('Graph of 320 memories');
    assert.equal(new Set(await named()).size, 8, (await named()).join());
    for (const theme of ['Light 2026', 'High Contrast', 'Dark 2026'] as const) {
      await setTheme(window, theme);
      await screenshot(window, `graph-320-${theme.replace(/ .*/u, '').toLowerCase()}`);
      assert.deepEqual(await accessibilityProblems(window), []);
    }
    await searchField().fill('crew 7.');
    await says('34 of 320');
    await press('Enter');
    await screenshot(window, 'graph-320-search');
    await runCommand(window, 'View: Close All Editors');
  });
});
