import assert from 'node:assert/strict';
import { chooseProject } from '../../../src/engine/team/server/chooseProject.js';

const acme = { id: '1', name: 'api', repository: 'github.com/acme/api' };
const other = { id: '2', name: 'api', repository: 'github.com/other/api' };
const named = { id: '3', name: 'api' };

/** The chosen project in brief, or how the error starts. */
function choose(projects: Parameters<typeof chooseProject>[0], remotes: readonly string[], given?: string): string {
  try {
    const it = chooseProject(projects, { name: 'api', remotes }, given);
    return [it.id ?? 'new', it.name, it.repository ?? '-', ...(it.namesRepository ? ['learned'] : [])].join(' ');
  } catch (error) {
    return (error as Error).message.slice(0, 30);
  }
}

describe('The project of a team that a folder is', () => {
  const fork = ['github.com/ben/api', 'github.com/acme/api'];
  const cases: readonly (readonly [string, string, string])[] = [
    ['follows a remote of the repository', choose([acme, other, named], fork), '1 api github.com/acme/api'],
    ['comes new for another repository of the name', choose([acme], ['github.com/x/api']), 'new api github.com/x/api'],
    ['does not take a name without a person’s word', choose([named], fork), 'new api github.com/ben/api'],
    ['takes a name by a person’s word', choose([named], fork, 'api'), '3 api github.com/ben/api learned'],
    ['follows the name without a remote', choose([acme, named], []), '3 api -'],
    [
      'follows an address by a person’s word',
      choose([acme], [], 'git@github.com:acme/api.git'),
      '1 api github.com/acme/api',
    ],
    ['takes the remote that a person names', choose([], fork, 'github.com/acme/api'), 'new api github.com/acme/api'],
    [
      'refuses several that are meant by remotes',
      choose([acme, { ...other, repository: fork[0]! }], fork),
      'The remotes of this repository',
    ],
    ['refuses a name that several have', choose([acme, other], [], 'api'), 'The team has several projects '],
    ['refuses the name of another repository', choose([other], fork, 'api'), 'The team’s api is the reposito'],
    ['refuses a second name for a repository', choose([acme], fork, 'shop'), 'The team has this repository a'],
  ];
  for (const [title, actual, expected] of cases)
    it(title, () => {
      assert.equal(actual, expected);
    });
});
