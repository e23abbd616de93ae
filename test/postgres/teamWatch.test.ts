import assert from 'node:assert/strict';
import { TeamWatch, type TeamConnectionState } from '../../src/vscode/teamWatch.js';
import { PostgresServer } from '../support/postgresServer.js';
import { connectTwo, type Person } from './kit.js';

const ferry = 'The ferry leaves Bergen at noon.';

describe('a window and its team', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  /** What a window of the person gets, and a promise of the next news. */
  function watchOf(person: Person): { watch: TeamWatch; states: TeamConnectionState[]; news: () => Promise<string[]> } {
    const states: TeamConnectionState[] = [];
    const seen: string[] = [];
    const watch = new TeamWatch({
      engineHolder: { state: { kind: 'open', engine: person.engine } },
      log: person.host.log,
      isTrusted: () => true,
      onState: it => states.push(it),
      onFolder: () => Promise.resolve(),
      onNews: ({ read }) => {
        seen.push(...read.changes.map(it => it.content));
      },
    });
    const news = async (): Promise<string[]> => {
      while (seen.length === 0) await new Promise(resolve => setTimeout(resolve, 50));
      return seen;
    };
    return { watch, states, news };
  }

  it('hears what another member shares', async () => {
    const { ada, ben } = await connectTwo(server);
    const { watch, states, news } = watchOf(ada);
    try {
      await watch.look();
      assert.deepEqual(states, [{ isOffline: false, waiting: 0 }]);
      await ben.share(await ben.keep(ferry));
      await ben.sync();
      assert.deepEqual(await news(), [ferry]);
    } finally {
      watch.dispose();
    }
  });

  it('looks again for what it heard while it synced', async () => {
    const { ada, ben } = await connectTwo(server);
    const { watch, news } = watchOf(ada);
    const { team } = ada.engine;
    const sync = team.sync.bind(team);
    team.sync = async () => {
      const report = await sync();
      team.sync = sync;
      await ben.share(await ben.keep(ferry));
      await ben.sync();
      // Until the notification is here.
      await new Promise(resolve => setTimeout(resolve, 500));
      return report;
    };
    try {
      watch.lookNow();
      assert.deepEqual(await news(), [ferry]);
    } finally {
      watch.dispose();
    }
  });

  it('says what waits while the server is away, and is in touch again after it came back', async () => {
    const { ada, ben } = await connectTwo(server);
    const { watch, states, news } = watchOf(ada);
    try {
      await watch.look();
      await server.halt();
      await ada.share(await ada.keep('The lamp turns once in ten seconds.'));
      await watch.look();
      const { problem, ...state } = states.at(-1)!;
      assert.deepEqual(state, { isOffline: true, waiting: 1 });
      assert.match(problem!, /cannot be reached now/u);
      await server.resume();
      await watch.look();
      assert.deepEqual(states.at(-1), { isOffline: false, waiting: 0 });
      await ben.share(await ben.keep(ferry));
      await ben.sync();
      assert.deepEqual(await news(), [ferry]);
    } finally {
      watch.dispose();
    }
  });

  it('opens no connection where the project is connected to none, nor in a workspace that is not trusted', async () => {
    const { ada } = await connectTwo(server);
    const before = (await ada.engine.team.serverStatus())!.syncedAt;
    const untrusted = new TeamWatch({
      engineHolder: { state: { kind: 'open', engine: ada.engine } },
      log: ada.host.log,
      isTrusted: () => false,
      onState: () => assert.fail(),
      onFolder: () => assert.fail(),
      onNews: () => assert.fail(),
    });
    await untrusted.look();
    assert.equal((await ada.engine.team.serverStatus())!.syncedAt, before);
    await ada.engine.team.leave();
    ada.host.secret = () => assert.fail('the connection was asked for');
    const { watch, states } = watchOf(ada);
    await watch.look();
    assert.deepEqual(states, [undefined]);
    watch.dispose();
  });
});
