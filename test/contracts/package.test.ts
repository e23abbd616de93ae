import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { matchesGolden } from './kit/golden.js';

type Entry = Readonly<Record<string, unknown>>;

interface Manifest extends Entry {
  readonly contributes: {
    readonly commands: readonly Entry[];
    readonly menus: Readonly<Record<string, readonly Entry[]>>;
    readonly views: Readonly<Record<string, readonly Entry[]>>;
    readonly viewsContainers: Readonly<Record<string, readonly Entry[]>>;
    readonly viewsWelcome: readonly Entry[];
    readonly walkthroughs: readonly (Entry & { readonly steps: readonly Entry[] })[];
    readonly keybindings: readonly Entry[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Entry>> }[];
    readonly configurationDefaults: Entry;
    readonly chatParticipants: readonly (Entry & { readonly commands: readonly Entry[] })[];
    readonly chatAgents: readonly Entry[];
    readonly chatPromptFiles: readonly Entry[];
    readonly chatSkills: readonly Entry[];
    readonly mcpServerDefinitionProviders: readonly Entry[];
    readonly languageModelTools: readonly Entry[];
  };
}

const manifest = JSON.parse(readFileSync(path.resolve('package.json'), 'utf8')) as Manifest;
const { contributes } = manifest;

/** An entry without what people read, which is translated and may be said better. */
function bare(entry: Entry): Entry {
  const words = ['title', 'icon', 'displayName', 'userDescription', 'markdownDescription', 'description'];
  const left = [
    ...words,
    'enumDescriptions',
    'markdownEnumDescriptions',
    'enumItemLabels',
    'order',
    'editPresentation',
  ];
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !left.includes(key)));
}

describe('package.json', () => {
  it('keeps the names, the input schemas and the reference names of the language model tools', () => {
    matchesGolden('package/tools.json', contributes.languageModelTools.map(bare));
  });

  it('keeps the key, the type, the default, the choices and the scope of each setting', () => {
    const settings = contributes.configuration.flatMap(it =>
      Object.entries(it.properties).map(([key, property]): [string, Entry] => [key, bare(property)]),
    );
    matchesGolden('package/settings.json', Object.fromEntries(settings.sort(([a], [b]) => (a < b ? -1 : 1))));
  });

  it('keeps the ids of the commands and where menus and keys call them', () => {
    matchesGolden('package/commands.json', {
      commands: contributes.commands.map(it => it.command).sort(),
      menus: Object.fromEntries(
        Object.entries(contributes.menus).map(([menu, entries]): [string, unknown] => [
          menu,
          entries.map(({ command, when, group }) => ({ command, when, group })),
        ]),
      ),
      keybindings: contributes.keybindings,
    });
  });

  it('keeps the ids of the views, the walkthroughs and the providers', () => {
    matchesGolden('package/views.json', {
      viewsContainers: Object.entries(contributes.viewsContainers).map(([at, of]) => [at, of.map(it => it.id)]),
      views: Object.entries(contributes.views).map(([at, of]) => [at, of.map(it => it.id)]),
      viewsWelcome: contributes.viewsWelcome.map(({ view, when }) => ({ view, when })),
      walkthroughs: contributes.walkthroughs.map(({ id, when, steps }) => ({
        id,
        when,
        steps: steps.map(step => ({ id: step.id, completionEvents: step.completionEvents })),
      })),
      chatAgents: contributes.chatAgents.map(it => it.path),
      chatPromptFiles: contributes.chatPromptFiles.map(it => it.path),
      chatSkills: contributes.chatSkills.map(it => it.path),
      mcpServers: contributes.mcpServerDefinitionProviders.map(it => it.id),
      configurationDefaults: contributes.configurationDefaults,
    });
  });

  it('keeps the chat participant and its commands', () => {
    const participants = contributes.chatParticipants.map(({ id, name, isSticky, commands }) => ({
      id,
      name,
      isSticky,
      commands: commands.map(it => it.name),
    }));
    matchesGolden('package/participants.json', participants);
  });

  it('keeps its identity, its entry points and what activates it', () => {
    const { name, publisher, engines, bin, main, extensionKind, activationEvents, capabilities } = manifest;
    const identity = { name, publisher, engines, bin, main, extensionKind, activationEvents, capabilities };
    matchesGolden('package/identity.json', identity);
  });
});

describe('the npm package', () => {
  it('keeps what is in it: the command line, what it loads, and the plugin', () => {
    const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--offline'], {
      encoding: 'utf8',
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ files }] = JSON.parse(said) as [{ readonly files: readonly { readonly path: string }[] }];
    const names = files.map(it => it.path).filter(it => !it.startsWith('dist/parsers/'));
    // Made for a release only.
    matchesGolden('package/npm.json', names.filter(it => it !== 'dist/THIRD-PARTY-NOTICES.txt').sort());
  });
});

describe('the plugin for Claude Code', () => {
  it('keeps its manifest, its hooks, its server and the names of its skills and agents', () => {
    const folder = path.resolve('media', 'claude-plugin');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(it => it.isFile())
      .map(it => path.relative(folder, path.join(it.parentPath, it.name)).replaceAll('\\', '/'))
      .sort();
    const contents = files
      .filter(it => it.endsWith('.json'))
      .map((it): [string, unknown] => [it, JSON.parse(readFileSync(path.join(folder, it), 'utf8'))]);
    matchesGolden('package/claude-plugin.json', { files, contents: Object.fromEntries(contents) });
  });
});
