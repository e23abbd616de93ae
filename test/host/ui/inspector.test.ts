import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { maxSearchLength } from '../../../src/protocol.js';
import { sql } from '../../support/sqlite.js';
import { runCommandLine, linkSampleMemories, projectFile, rememberMany } from './storeFixtures.js';
import { accessibilityProblems, webviewFrame } from './kit/accessibility.js';
import { inspectorIn, openDetails, openFromDetails, reloadOnceKept } from './kit/inspectorPage.js';
import { sampleMemories } from './kit/sampleMemories.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  clickInline,
  dialog,
  openContainer,
  quickInput,
  runCommand,
  setTheme,
  sideBarRows,
} from './kit/workbench.js';

const themes = ['Light 2026', 'Dark 2026', 'High Contrast'] as const;

/** Ten memories of every gate. */
const sample: readonly (readonly string[])[] = [
  ...Object.values(sampleMemories),
  ['Tide predictions are wrong by an hour in summer unless the zone is UTC.', '--gate', 'correction'],
  ['The ferry is called Perpetua and draws 2.1 metres.', '--gate', 'epistemic'],
  ['The night job that fetches tides runs at two in the morning.', '--gate', 'epistemic'],
  ['Clearances under the keel are rounded down.', '--gate', 'epistemic', '--lane', 'note'],
];

describe('the memory inspector', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    window = await openWindow(storage);
    return window;
  });

  const inspector = (): Locator => inspectorIn(window);
  const tab = (name: string): Locator => inspector().getByRole('tab', { name });
  const isSelected = async (name: string): Promise<boolean> =>
    (await tab(name).getAttribute('aria-selected')) === 'true';
  const says = (what: string, text: string): Promise<true> =>
    until(what, async () => (await inspector().textContent())?.includes(text));
  const reload = (kept: string): Promise<void> => reloadOnceKept(window, kept);
  const pictures = async (text: string): Promise<boolean> =>
    (await inspector().locator('canvas').getAttribute('aria-label'))?.startsWith(text) === true;
  const status = async (content: string): Promise<string | undefined> => {
    const listed = await runCommandLine(storage, 'list', '--status', 'active', '--status', 'archived', '--json');
    const all = JSON.parse(listed) as readonly { readonly content: string; readonly status: string }[];
    return all.find(it => it.content.startsWith(content))?.status;
  };
  const nothingSerious = async (): Promise<void> => {
    assert.deepEqual(await accessibilityProblems(window), []);
  };

  it('offers to remember where nothing is remembered, and says on each page that it is empty', async () => {
    await openContainer(window, 'Recollect');
    await runCommand(window, 'Recollect: Show Inspector');
    await says('it says so', 'Nothing is remembered yet');
    await screenshot(window, 'inspector-memories-empty');
    await nothingSerious();
    await inspector().locator('vscode-button', { hasText: 'Remember…' }).click();
    await quickInput(window).waitFor();
    await window.page.keyboard.press('Escape');
    await tab('Answers').click();
    await says('it says so', 'No answer is recorded yet');
    await inspector().locator('vscode-button', { hasText: 'Remember…' }).waitFor();
    await nothingSerious();
    await tab('Inbox').click();
    await says('it says so', 'Nothing wants a decision of yours.');
    await nothingSerious();
    await tab('Answers').click();
  });

  it('offers to recall where something is remembered', async () => {
    await runCommandLine(storage, 'remember', ...sample[0]!);
    await says('it says when a look of my own is recorded', 'recorded once you pick one of its memories');
    await inspector().locator('vscode-button', { hasText: 'Recall…' }).click();
    await quickInput(window).waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('lists new recalls', async () => {
    for (const args of sample.slice(1)) await runCommandLine(storage, 'remember', ...args);
    await runCommandLine(storage, 'recall', 'Where do the tide tables come from?', '--limit', '3');
    await runCommandLine(storage, 'recall', 'Who signs off clearances?');
    await runCommandLine(storage, 'recall', 'When does the ferry leave?');
    await runCommand(window, 'Recollect: Explain Last Answer');
    await says('the last one is open', 'In the Answer');
    await until('there are three', async () => (await inspector().getByRole('option').count()) === 3);
    await screenshot(window, 'inspector-answers');
  });

  it('filters the list by the typed text', async () => {
    assert.equal(await inspector().getByRole('searchbox').getAttribute('maxlength'), String(maxSearchLength));
    await inspector().getByRole('searchbox').fill('tide');
    await until('there is one', async () => (await inspector().getByRole('option').count()) === 1);
    await inspector().getByRole('option').click();
    await says('it is open', 'Left Out');
    await screenshot(window, 'inspector-trace');
    await inspector().getByRole('searchbox').fill('');
    await until('there are three', async () => (await inspector().getByRole('option').count()) === 3);
  });

  it('shows bars whose parts add up to the rank', async () => {
    await inspector().locator('.ranks > summary').click();
    await inspector().locator('.ranks .candidates summary').first().click();
    const label = (await inspector().locator('details details[open] .rank-bar').getAttribute('aria-label'))!;
    const [rank, ...parts] = [...label.matchAll(/\d\.\d+/gu)].map(it => Number(it[0]));
    const sum = parts.reduce((total, it) => total + it, 0);
    assert.ok(parts.length === 4 && Math.abs(sum - rank!) <= 0.004, label);
    assert.ok((await inspector().locator('details details[open] tbody tr').count()) > 10);
    await screenshot(window, 'inspector-trace-factors');
    await nothingSerious();
  });

  it('stores feedback, and runs the recall again', async () => {
    await inspector().getByRole('button', { name: 'Useful', exact: true }).first().click();
    await until('it counts', async () => (await inspector().locator('.feedback').first().innerText()) === '1');
    await inspector().locator('vscode-button', { hasText: 'Ask Again' }).click();
    await until('there is one more', async () => (await inspector().getByRole('option').count()) === 4);
  });

  it('selects recalls by keyboard', async () => {
    await inspector().getByRole('listbox').focus();
    await window.page.keyboard.press('End');
    await until('the oldest is open', async () =>
      (await inspector().getByRole('heading', { level: 1 }).innerText()).startsWith('Where do the tide tables'),
    );
    await tab('Answers').focus();
    await window.page.keyboard.press('ArrowRight');
    await until('the next tab is open', () => isSelected('Inbox'));
    await window.page.keyboard.press('ArrowLeft');
    await until('the tab before is open', () => isSelected('Answers'));
  });

  it('keeps how long an answer took behind a fold', async () => {
    const meter = inspector().locator('.stages meter').first();
    assert.equal(await meter.isVisible(), false);
    await inspector().locator('.fold > summary', { hasText: 'Time' }).click();
    await meter.waitFor();
    await inspector().locator('.fold > summary', { hasText: 'Time' }).click();
  });

  it('goes to the search field of the page with Ctrl+F', async () => {
    await inspector().getByRole('listbox').focus();
    await window.page.keyboard.press('Control+f');
    const frame = await webviewFrame(window);
    await until('the filter has the focus', () =>
      frame.evaluate<boolean>("document.activeElement.matches('vscode-textfield[data-page-search]')"),
    );
    assert.equal(await window.page.locator('.webview-find-widget .simple-find-part.visible').count(), 0);
  });

  it('restores its state after a reload', async () => {
    const question = await inspector().getByRole('heading', { level: 1 }).innerText();
    const open = await inspector().locator('[role=option][aria-selected=true]').getAttribute('id');
    // The recall alone was kept before, with another page.
    await reload(`"filter":"","trace":"${open!.replace('row-', '')}"`);
    await until('the same recall is open', async () => {
      const heading = inspector().getByRole('heading', { level: 1 });
      return (await heading.innerText()) === question;
    });
  });

  for (const theme of themes) {
    it(`is readable in ${theme}`, async () => {
      await setTheme(window, theme);
      const name = theme.replace(/ .*/u, '').toLowerCase();
      await tab('Answers').click();
      await screenshot(window, `inspector-answers-${name}`);
      await nothingSerious();
    });
  }

  it('shows either the list or the detail in a narrow window', async () => {
    await setTheme(window, 'Dark 2026');
    await runCommand(window, 'View: Toggle Primary Side Bar Visibility');
    await window.page.setViewportSize({ width: 620, height: 800 });
    await until('the way back shows', () => inspector().getByRole('button', { name: 'All answers' }).isVisible());
    await screenshot(window, 'inspector-trace-narrow');
    await inspector().getByRole('button', { name: 'All answers' }).click();
    await until('the list shows', () => inspector().getByRole('listbox').isVisible());
    await screenshot(window, 'inspector-answers-narrow');
    await window.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('opens a memory from a row of the explorer', async () => {
    await openContainer(window, 'Recollect');
    await sideBarRows(window).filter({ hasText: 'Never deploy the timetable' }).first().waitFor();
    await clickInline(window, 'Never deploy the timetable', 'Show in Inspector');
    await until('its page shows', () => isSelected('Memories'));
  });

  it('draws the curve of a memory', async () => {
    await openDetails(inspector());
    await inspector().locator('path.past').first().waitFor({ state: 'attached' });
    await says('it says when it fades', 'forgotten on');
    await says('it says how strong it is', 'times said: 1');
    assert.equal(await inspector().locator('circle.event').count(), 1);
    await clickInline(window, 'Never deploy the timetable', 'Pin');
    await says('it follows a change', 'pinned, so it does not fade');
    assert.equal(await inspector().locator('circle.event').count(), 2);
    await screenshot(window, 'inspector-memory');
    await nothingSerious();
  });

  it('opens the page of a memory from a recall that returned it', async () => {
    await tab('Answers').click();
    await inspector().getByRole('option').first().click();
    const returned = inspector().locator('.candidates .memory').first();
    const summary = (await returned.innerText()).trim();
    await returned.click();
    await until('its page shows', async () =>
      (await inspector().locator('h1.content').innerText()).startsWith(summary),
    );
  });

  it('groups the forecast by decay class, and keeps that after a reload', async () => {
    await openFromDetails(inspector(), 'Forecast of All Memories');
    await says('it says what becomes of the others', 'and can be restored');
    await inspector().locator('vscode-single-select').first().click();
    await inspector().getByText('Decay class').last().click();
    await until('it counts so', () => inspector().locator('path.layer-durable').isVisible());
    await reload('"by":"decayClass"');
    await until('it still does', () => inspector().locator('path.layer-durable').isVisible());
    for (const theme of themes) {
      await setTheme(window, theme);
      await screenshot(window, `inspector-forecast-${theme.replace(/ .*/u, '').toLowerCase()}`);
      await nothingSerious();
    }
  });

  it('draws the graph of a memory, and expands neighbors', async () => {
    await setTheme(window, 'Dark 2026');
    await linkSampleMemories(storage);
    // The note that a model replaced lies below what replaces it.
    await sideBarRows(window).filter({ hasText: 'Heights in tide' }).first().waitFor({ state: 'hidden' });
    await clickInline(window, 'Tide tables come from', 'Show in Inspector');
    await says('its curve shows', 'Norwegian mapping authority');
    await openFromDetails(inspector(), 'Show in the Graph');
    const neighbours = inspector().locator('.neighbours li');
    await until('its neighbours show', async () => (await neighbours.count()) === 2);
    await neighbours.filter({ hasText: 'Heights in tide tables' }).locator('.icon-button').press('Enter');
    await until('there are more', () => pictures('Graph of 5 memories with 4 links'));
    await screenshot(window, 'inspector-graph');
    await nothingSerious();
  });

  it('hides an edge type, and keeps that after a reload', async () => {
    await inspector().locator('vscode-checkbox[label=contradicts]').click();
    const neighbours = inspector().locator('.neighbours li');
    await until('one is left', async () => !(await neighbours.allInnerTexts()).join(' ').includes('contradicts'));
    await reload('"hidden":["contradicts"]');
    await until('it is as it was', () => pictures('Graph of 5 memories with 4 links'));
    for (const theme of ['Light 2026', 'High Contrast'] as const) {
      await setTheme(window, theme);
      await screenshot(window, `inspector-graph-${theme.replace(/ .*/u, '').toLowerCase()}`);
      await nothingSerious();
    }
  });

  it('has a graph that the arrow keys navigate', async () => {
    const chosen = inspector().locator('.detail .memory').first();
    const before = await chosen.innerText();
    await inspector().locator('canvas').focus();
    await until('an arrow goes to another one', async () => {
      // Looked at after each, for the arrow after it may well go back.
      for (const key of ['ArrowUp', 'ArrowLeft', 'ArrowDown', 'ArrowRight']) {
        await window.page.keyboard.press(key);
        if ((await chosen.innerText()) !== before) return true;
      }
      return false;
    });
    await window.page.keyboard.press('Enter');
    await inspector().locator('.neighbours li').first().waitFor();
    await screenshot(window, 'inspector-graph-keys');
  });

  it('does not animate the graph with reduced motion', async () => {
    await window.page.emulateMedia({ reducedMotion: 'reduce' });
    await inspector().locator('.neighbours .icon-button').first().click();
    const drawn = "document.querySelector('canvas').toDataURL()";
    const frame = await webviewFrame(window);
    let before = '';
    await until(
      'two pictures in a row are the same',
      async () => {
        const now = await frame.evaluate<string>(drawn);
        const isSame = now === before;
        before = now;
        return isSame;
      },
      2_000,
    );
    assert.equal(await frame.evaluate('document.getAnimations().filter(it => it.playState === "running").length'), 0);
    await window.page.emulateMedia({ reducedMotion: null });
  });

  it('keeps its state when it is moved to another group', async () => {
    await runCommand(window, 'View: Move Editor into Right Group');
    await until('it shows the same', async () => (await isSelected('Memories')) && (await pictures('Graph of ')));
  });

  it('keeps its state when it is moved to another window and back', async () => {
    const shows = async (where: Window, what: string): Promise<void> => {
      const its = inspectorIn(where);
      await until(what, async () => (await its.locator('canvas').getAttribute('aria-label'))?.startsWith('Graph of '));
    };
    const opened = window.page.waitForEvent('popup');
    await runCommand(window, 'View: Move Editor into New Window');
    const other: Window = { ...window, page: await opened };
    await shows(other, 'the new window shows the same');
    await runCommand(other, 'View: Restore Editors into Main Window');
    await shows(window, 'the first window shows the same again');
  });

  it('leads back from the graph to the memories', async () => {
    await inspector().locator('.leave').click();
    await inspector().locator('h1.content').waitFor();
  });

  it('shows how the memory is, with all figures behind a fold, verifies it, and copies that for a report', async () => {
    await setTheme(window, 'Dark 2026');
    await tab('Access and Health').click();
    await says('it measures', 'by words');
    await inspector().locator('.fold > summary', { hasText: 'All Figures' }).click();
    await says('it measures all', 'Of its quota');
    await inspector().locator('vscode-button', { hasText: 'Verify' }).click();
    // The links were written past the audit log, memories were not.
    await says('it verified', 'all is well; ');
    await inspector().locator('vscode-button', { hasText: 'Copy Diagnostics' }).click();
    await says('it is copied', 'no text of a memory');
    for (const theme of themes) {
      await setTheme(window, theme);
      await screenshot(window, `inspector-access-${theme.replace(/ .*/u, '').toLowerCase()}`);
      await nothingSerious();
    }
  });

  it('previews maintenance, keeps a pinned memory, runs once confirmed, and undoes it', async () => {
    const fade = ['The ferry is called', 'Clearances under'].map(it => `content LIKE '${it}%'`).join(' OR ');
    await sql(
      projectFile(storage),
      `UPDATE memories SET updated_at = '2020-01-01T00:00:00.000Z', reinforced_at = '2020-01-01T00:00:00.000Z' WHERE ${fade}`,
      "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
    );
    const decisions = inspector().locator('.decisions li');
    await tab('Inbox').click();
    await inspector().getByRole('option', { name: 'Forget what has faded' }).click();
    await inspector().locator('vscode-button', { hasText: 'Preview Maintenance' }).click();
    await until('both would go', async () => (await decisions.count()) === 2);
    await setTheme(window, 'Light 2026');
    await screenshot(window, 'inspector-maintenance-preview');
    await nothingSerious();
    await decisions.filter({ hasText: 'Clearances under' }).getByRole('button', { name: 'Keep by pinning' }).click();
    await until('one would go', async () => (await decisions.count()) === 1);
    await says('the preview that the pin caused leaves what was done in place', 'Pinned: Clearances under');
    await inspector().locator('vscode-button', { hasText: 'Run Maintenance…' }).click();
    await until('it asks', async () => (await dialog(window).innerText()).includes('To forget: 1.'));
    await screenshot(window, 'inspector-maintenance-ask');
    await answerDialog(window, 'Cancel');
    assert.equal(await status('The ferry is called'), 'active');
    await inspector().locator('vscode-button', { hasText: 'Run Maintenance…' }).click();
    await answerDialog(window, 'Run Maintenance');
    await says('it says', 'Done: 1 forgotten, 0 deleted for good.');
    assert.equal(await status('The ferry is called'), 'archived');
    await says('it names the place as the page of health does', 'For this project: 1 faded');
    await screenshot(window, 'inspector-maintenance-done');
    await inspector().getByRole('button', { name: 'Undo 1' }).click();
    await says('it says', 'Active again: 1 memory.');
    assert.equal(await status('The ferry is called'), 'active');
    await until('there is nothing left to undo', async () => {
      return (await inspector().getByRole('button', { name: 'Undo' }).count()) === 0;
    });
  });

  it('opens on a store of 10,000 memories', async () => {
    await rememberMany(storage, 10_000);
    await tab('Answers').click();
    await runCommandLine(storage, 'recall', 'tide tables');
    const times: number[] = [];
    while (times.length < 4) {
      await runCommand(window, 'View: Close Editor');
      await until('it is closed', async () => (await window.page.locator('iframe.webview.ready').count()) === 0);
      await runCommand(window, 'Recollect: Show Inspector');
      await until('there are rows', async () => (await inspector().getByRole('option').count()) > 0);
      const frame = await webviewFrame(window);
      times.push(await frame.evaluate<number>("performance.getEntriesByName('shown')[0].startTime"));
    }
    console.log(`      shown after ${times.map(Math.round).join(', ')} ms`); // Not asserted: it depends on the machine.
    await tab('Memories').click();
    await says('it counts them', '100 of 10,0');
    await screenshot(window, 'inspector-memories-10000');
  });
});
