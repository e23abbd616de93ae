import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PostgresServer } from '../../support/postgresServer.js';
import { addressOf, createTeam, Person } from '../../postgres/kit.js';
import { until } from './kit/until.js';
import { openWindow, screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  answerInput,
  answerNotification,
  dialog,
  openContainer,
  pick,
  quickInput,
  runCommand,
  sideBarRows,
} from './kit/workbench.js';
import { runCommandLine } from './storeFixtures.js';

const ferry = 'The ferry is called Perpetua.';
const harbor = 'The harbor closes at night in winter.';

describe('a team’s server in a window', () => {
  let server: PostgresServer;
  let storage: Storage;
  let window: Window;
  let ada: Person;
  let ben: Person;

  before(async () => {
    server = await PostgresServer.start();
    const team = await createTeam(server);
    ada = await Person.join(server, team, 'Ada');
    ben = await (await Person.join(server, team, 'Ben')).connect('harbour');
  });
  after(() => server.stop());

  useWindow(async its => {
    storage = its;
    await runCommandLine(storage, 'remember', '--store', 'project', ferry);
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  const shared = async (): Promise<readonly unknown[]> =>
    (await ben.query('SELECT content FROM recollect.memories ORDER BY sequence')).map(it => it.content as unknown);

  it('offers both ways where the project has no team', async () => {
    await runCommand(window, 'Recollect: Share a Memory…');
    await pick(window, 'ferry');
    await answerNotification(window, 'with no team yet', 'Connect to a Server…');
  });

  it('is connected by a connection string, after a question that says what it does', async () => {
    await quickInput(window).waitFor();
    await screenshot(window, 'team-address');
    await answerInput(window, addressOf(server, ada.login, ada.password));
    await until('the name of the project is asked', async () =>
      (await window.page.locator('.quick-input-widget:visible').innerText()).includes(
        'What the team calls this project',
      ),
    );
    await answerInput(window, 'harbour');
    await dialog(window).filter({ hasText: 'Nothing is shared by itself' }).waitFor();
    await screenshot(window, 'team-connect');
    await answerDialog(window, 'Connect');
    await until('it is said', async () =>
      (await window.page.innerText('body')).includes('Nothing new from your team.'),
    );
  });

  it('gets a memory that a person shares', async () => {
    await runCommand(window, 'Recollect: Share a Memory…');
    await pick(window, 'ferry');
    await dialog(window).filter({ hasText: ferry }).waitFor();
    await screenshot(window, 'team-share');
    assert.deepEqual(await shared(), []);
    await answerDialog(window, 'Share');
    await until('the server has it', async () => (await shared()).includes(ferry));
  });

  it('brings what another member shares by itself', async () => {
    const at = new Date().toISOString();
    const fact = {
      content: harbor,
      gate: 'epistemic',
      kind: 'context',
      tags: [],
      said: at,
      origin: 'explicit',
    } as const;
    const [project] = await ben.query('SELECT id FROM recollect.projects WHERE remote IS NOT NULL');
    await ben.push(project!.id as string, { id: randomUUID(), at, by: 'Ben', fact });
    await until('it is said', async () => (await window.page.innerText('body')).includes('1 new from Ben'));
    await screenshot(window, 'team-news');
    await sideBarRows(window).filter({ hasText: 'The harbor closes' }).first().waitFor();
    await screenshot(window, 'team-explorer');
  });

  it('says what waits while the server is away, and sends it later', async () => {
    await server.halt();
    await runCommand(window, 'Recollect: Sync Now');
    await until('it is said', async () => (await window.page.innerText('body')).includes('cannot be reached now'));
    await screenshot(window, 'team-offline');
    await server.resume();
  });

  it('ends with a question', async () => {
    await runCommand(window, 'Recollect: Leave…');
    await dialog(window).filter({ hasText: 'What came from the team stays here' }).waitFor();
    await screenshot(window, 'team-leave');
    await answerDialog(window, 'Leave');
    await until('it is said', async () => (await window.page.innerText('body')).includes('no longer connected to'));
  });
});
