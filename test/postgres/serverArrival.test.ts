import assert from 'node:assert/strict';
import net from 'node:net';
import { ServerEngineHolder } from '../../src/mcp/serverEngineHolder.js';
import { PostgresServer } from '../support/postgresServer.js';
import { connectTwo, type Person } from './kit.js';

const ferry = 'The ferry to the islands leaves at nine.';
const request = { client: 'mcp:test', folders: [], onlyStore: undefined, comparesMeaning: false };

const texts = async ({ engine }: Person): Promise<readonly string[]> =>
  (await engine.list({ scope: 'project-only' })).map(it => it.content);

describe('What a team’s server brings behind the answers', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  it('comes through a server of MCP, which also sends what waits', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    await ben.share(await ben.keep('The lamp turns once in ten seconds.'));
    const holder = new ServerEngineHolder(
      () => Promise.resolve(ben.engine),
      ben.host.log,
      () => undefined,
    );
    await holder.engine(request);
    while ((await texts(ben)).length < 2) await new Promise(resolve => setTimeout(resolve, 20));
    assert.equal((await ben.engine.team.serverStatus())!.waiting, 0);
    await holder.close();
  });

  it('costs an answer nothing while the server says nothing, and closing does not wait for it', async () => {
    const { ben } = await connectTwo(server);
    const sockets: net.Socket[] = [];
    const silent = net.createServer(it => sockets.push(it));
    const port = await new Promise<number>(resolve => {
      silent.listen(0, '127.0.0.1', () => {
        resolve((silent.address() as net.AddressInfo).port);
      });
    });
    ben.host.secret = () => Promise.resolve(`postgres://ben:x@127.0.0.1:${String(port)}/team`);
    const started = performance.now();
    await ben.engine.team.serverArrival.look(10_000);
    assert.ok(performance.now() - started < 1_000);
    while (sockets.length === 0) await new Promise(resolve => setTimeout(resolve, 20));
    const closing = performance.now();
    await ben.engine.close();
    assert.ok(performance.now() - closing < 2_000);
    for (const it of sockets) it.destroy();
    silent.close();
  });

  it('has the server’s time where the clock of its sender is ahead, who hears of it', async () => {
    const { ada, ben } = await connectTwo(server);
    ada.host.time = Date.now() + 3 * 86_400_000;
    ben.host.time = Date.now();
    await ada.share(await ada.keep(ferry));
    assert.match((await ada.sync()).clock!, /^The clock of this machine is 3 days ahead of the team’s server/u);
    assert.deepEqual(await ben.receive(), [`added ${ferry}`]);
    assert.equal((await ben.sync()).clock, undefined);
    ada.host.time = Date.now() - 400 * 86_400_000;
    assert.match((await ada.sync()).clock!, /is 400 days behind/u);
  });
});
