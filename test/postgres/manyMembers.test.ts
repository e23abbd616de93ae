import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EngineError } from '../../src/engine/base/errors.js';
import type { TeamServer } from '../../src/engine/team/server/teamServer.js';
import { PostgresServer } from '../support/postgresServer.js';
import { createTeam, Person } from './kit.js';

const members = 6;
const linesPerMember = 60;

describe('many members at once', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  it('loses nothing that was acknowledged and shows nothing twice, though the server dies in between', async () => {
    const team = await createTeam(server);
    const people = [];
    for (let i = 0; i < members; i++) people.push(await Person.join(server, team, `Member${String(i)}`));
    await people[0]!.connect();
    const project = (await people[0]!.query('SELECT id FROM recollect.projects'))[0]!.id as string;
    const acknowledged = new Set<string>();
    let isDone = false;

    const write = async (person: Person): Promise<void> => {
      for (let n = 0; n < linesPerMember; n++) {
        const at = new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
        const content = `${person.login} says ${String(n)}.`;
        const fact = { content, gate: 'epistemic', kind: 'decision', tags: [], said: at } as const;
        const line = { id: randomUUID(), at, by: person.login, fact };
        await untilReached(person, it => it.push(project, line));
        acknowledged.add(content);
      }
    };
    /** Follows the numbers alone, as a sync does, while others write. */
    const follow = async (person: Person): Promise<string[]> => {
      const seen: string[] = [];
      let cursor = 0;
      for (;;) {
        const wasDone = isDone;
        const rows = await untilReached(person, it => it.pull(project, cursor, 7));
        for (const it of rows) {
          assert.ok(it.sequence > cursor);
          cursor = it.sequence;
          seen.push(String(it.fact!.content));
        }
        if (rows.length === 0 && wasDone) return seen;
      }
    };

    const followers = [follow(people[0]!), follow(people[1]!)];
    const writers = people.map(write);
    while (acknowledged.size < (members * linesPerMember) / 3) await new Promise(resolve => setTimeout(resolve, 20));
    await server.halt();
    await server.resume();
    await Promise.all(writers);
    isDone = true;

    assert.equal(acknowledged.size, members * linesPerMember);
    for (const seen of await Promise.all(followers)) {
      assert.equal(new Set(seen).size, seen.length);
      assert.deepEqual([...seen].sort(), [...acknowledged].sort());
    }
    const rows = await people[0]!.query('SELECT content FROM recollect.memories');
    assert.equal(rows.length, members * linesPerMember);
  });
});

/** Tries again while the server is away. */
async function untilReached<T>(person: Person, work: (server: TeamServer) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await person.withServer(work);
    } catch (error) {
      if (!EngineError.is(error, 'storeUnavailable')) throw error;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
}
