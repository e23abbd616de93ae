import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { decayProfiles, defaultConfig, embeddingChoices, modelProviders } from '../../../src/engine/model/config.js';
import { retentionPresets } from '../../../src/engine/model/retention.js';
import { chatTools } from '../../../src/operations/registry.js';
import { modelSchema, type Tool } from '../../../src/operations/tool.js';
import {
  chatCommands,
  commandIds,
  contextKeys,
  explorerViewId,
  mcpProviderId,
  memoryDocumentScheme,
  participantId,
  settingKeys,
  toolNames,
  toolPrefix,
  unlistedCommands,
  unlistedSettings,
  viewContainerId,
  walkthroughId,
} from '../../../src/vscode/contributions.js';
import { automaticMaintenanceChoices } from '../../../src/vscode/maintenanceSchedule.js';
import { defaultEmbeddingModel, readConfig } from '../../../src/engine/model/settings.js';

interface Property {
  readonly default: unknown;
  readonly scope?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
  readonly description?: string;
  readonly markdownDescription?: string;
}

interface ToolContribution {
  readonly name: string;
  readonly toolReferenceName?: string;
  readonly modelDescription: string;
  readonly inputSchema: unknown;
}

interface Step {
  readonly id: string;
  readonly description: string;
  readonly media: { readonly image: Readonly<Record<string, string>> };
  readonly completionEvents: readonly string[];
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly keybindings: readonly { readonly command: string }[];
    readonly menus: Readonly<
      Record<string, readonly { readonly command: string; readonly when: string; readonly group: string }[]>
    >;
    readonly submenus?: readonly unknown[];
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string }[] };
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly walkthroughs: readonly { readonly id: string; readonly when?: string; readonly steps: readonly Step[] }[];
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string; readonly when: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Property>> }[];
    readonly mcpServerDefinitionProviders: readonly { readonly id: string }[];
    readonly chatParticipants: readonly {
      readonly id: string;
      readonly commands: readonly { readonly name: string }[];
    }[];
    readonly configurationDefaults: Readonly<Record<string, unknown>>;
    languageModelTools: ToolContribution[];
  };
}

const text = readFileSync('package.json', 'utf8');
const { contributes } = JSON.parse(text) as Manifest;
const strings = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Readonly<Record<string, string>>;
const properties = Object.assign({}, ...contributes.configuration.map(it => it.properties)) as Record<string, Property>;

/** Pictures are part of every installation. */
const pictureLimitBytes = 100_000;

/** Commands that ask something before they do their work: a text, a choice or a yes. */
const askingCommands: readonly (keyof typeof commandIds)[] = [
  'captureSessions',
  'connectMenu',
  'editProposal',
  'editSearchWords',
  'encryptMemory',
  'filter',
  'help',
  'import',
  'keepNewerOfAll',
  'moveToSet',
  'publishMenu',
  'purge',
  'recall',
  'remember',
  'revisitExtend',
  'runMaintenance',
  'setPriority',
  'settleConflict',
  'shareWithTeam',
  'showSensitive',
  'team',
  'upkeep',
  'withdrawSensitive',
];

const sorted = (values: Iterable<string>): string[] => [...values].sort();

describe('contributions of package.json', () => {
  it('match the ids of contributions.ts', () => {
    const keys = contributes.keybindings
      .map(it => it.command)
      .filter(it => !Object.values<string>(commandIds).includes(it));
    assert.deepEqual(keys, []);
    const found = {
      commands: sorted(contributes.commands.map(it => it.command)),
      settings: sorted(Object.keys(properties)),
      walkthroughs: contributes.walkthroughs.map(it => it.id),
      views: Object.values(contributes.views).flatMap(views => views.map(it => it.id)),
      containers: contributes.viewsContainers.activitybar.map(it => it.id),
      containersOfViews: Object.keys(contributes.views),
      tools: contributes.languageModelTools.map(it => it.name),
      participants: contributes.chatParticipants.map(it => ({
        id: it.id,
        commands: it.commands.map(({ name }) => name),
      })),
      mcpServers: contributes.mcpServerDefinitionProviders.map(it => it.id),
    };
    assert.deepEqual(found, {
      commands: sorted(Object.values(commandIds).filter(it => !unlistedCommands.includes(it))),
      settings: sorted(
        Object.values(settingKeys)
          .filter(it => !unlistedSettings.includes(it))
          .map(it => `recollect.${it}`),
      ),
      walkthroughs: [walkthroughId],
      views: [explorerViewId],
      containers: [viewContainerId],
      containersOfViews: [viewContainerId],
      tools: [...toolNames],
      participants: [{ id: participantId, commands: [...chatCommands] }],
      mcpServers: [mcpProviderId],
    });
  });

  it('end the title of a command with dots where a question follows, and nowhere else', () => {
    const asking = contributes.commands.filter(it => resolved(it.title).endsWith('…'));
    assert.deepEqual(sorted(asking.map(it => it.command)), sorted(askingCommands.map(it => commandIds[it])));
  });

  it('refer only to existing commands, views and context keys', () => {
    const menus = Object.values(contributes.menus).flatMap(items => items.map(it => it.command));
    const steps = contributes.walkthroughs.flatMap(it => it.steps);
    const texts = [...contributes.viewsWelcome.map(it => it.contents), ...steps.map(it => it.description)];
    const links = texts.flatMap(it => [...resolved(it).matchAll(/command:(recollect\.[\w.]+)/gu)]);
    const events = steps.flatMap(it =>
      it.completionEvents.map(event => event.replace(/^on(Command|View|Context):/u, '')),
    );
    const ids = [...Object.values(commandIds), ...Object.values(contextKeys), explorerViewId];
    const commands = new Set<string>([...ids, `${explorerViewId}.focus`]);
    assert.deepEqual(
      [...menus, ...links.map(it => it[1]!), ...events].filter(it => !commands.has(it)),
      [],
    );
    assert.deepEqual(
      contributes.viewsWelcome.filter(it => it.view !== explorerViewId),
      [],
    );
    const keys = new Set<string>([...Object.values(contextKeys), explorerViewId]);
    const clauses = [...text.matchAll(/"(?:when|enablement)": "(.*)"/gu)].map(it => it[1]!);
    const used = clauses.flatMap(it => [...it.matchAll(/(config\.)?(recollect\.[\w.]+)/gu)]);
    const unknown = used.filter(([, config, key]) =>
      config === undefined ? !keys.has(key!) : properties[key!] === undefined,
    );
    assert.deepEqual(unknown.map(String), []);
  });

  it('keep the palette and the menus short', () => {
    const palette = new Map(contributes.menus.commandPalette!.map(it => [it.command, it.when]));
    const title = contributes.menus['view/title']!;
    const shown = title.filter(
      it => !/recollect\.(?:filtered|grouping == )/u.test(it.when.replace('!recollect.filtered', '')),
    );
    const counts = {
      commands: contributes.commands.length,
      palette: contributes.commands.filter(it => palette.get(it.command) === undefined).length,
      settings: Object.keys(properties).length,
      title: shown.filter(it => it.group.startsWith('navigation')).length,
      more: shown.filter(it => !it.group.startsWith('navigation')).length,
      submenus: (contributes.submenus ?? []).length,
    };
    const limits = { commands: 65, palette: 25, settings: 25, title: 3, more: 8, submenus: 6 };
    const over = Object.entries(counts).filter(([what, count]) => count > limits[what as keyof typeof limits]);
    assert.deepEqual(over, []);
  });

  it('say that the memory is being opened until the extension runs', () => {
    // VS Code would say that there is no data provider.
    const welcome = contributes.viewsWelcome.find(it => it.when === '!recollect.state');
    assert.equal(resolved(welcome!.contents), 'Opening your memory…');
  });

  it('use exactly the strings of package.nls.json', () => {
    const used = sorted(new Set([...text.matchAll(/"%([\w.]+)%"/gu)].map(it => it[1]!)));
    assert.deepEqual(used, sorted(Object.keys(strings)));
  });

  it('have a walkthrough of four steps, each with a picture per theme below the size limit and a button', () => {
    const [walkthrough] = contributes.walkthroughs;
    assert.deepEqual(
      walkthrough!.steps.map(it => it.id),
      ['remember', 'recall', 'review', 'why'],
    );
    for (const { id, description, media, completionEvents } of walkthrough!.steps) {
      assert.deepEqual(Object.keys(media.image), ['light', 'dark', 'hc', 'hcLight'], id);
      const bad = Object.values(media.image).filter(it => !existsSync(it) || statSync(it).size > pictureLimitBytes);
      assert.deepEqual(bad, [], id);
      assert.match(resolved(description), /^\[.+\]\(command:/mu, id);
      assert.notEqual(completionEvents.length, 0, id);
    }
  });

  it('do not let VS Code open the walkthrough at installation', () => {
    // VS Code opens a walkthrough whose clause is true then; this context key is set only once the extension runs.
    assert.deepEqual(
      contributes.walkthroughs.map(it => it.when),
      [contextKeys.state],
    );
  });

  it('open memory documents in the Markdown preview', () => {
    assert.deepEqual(contributes.configurationDefaults, {
      'workbench.editorAssociations': { [`${memoryDocumentScheme}:/**`]: 'vscode.markdown.preview.editor' },
    });
  });

  it('have each setting once', () => {
    const keys = contributes.configuration.flatMap(it => Object.keys(it.properties));
    assert.deepEqual(keys, [...new Set(keys)]);
  });

  it('have no setting whose name extends another one, which VS Code would drop', () => {
    const keys = Object.keys(properties);
    assert.deepEqual(
      keys.filter(it => keys.some(other => it.startsWith(`${other}.`))),
      [],
    );
  });

  it('restrict settings that send data or select a model to the machine scope', () => {
    const keys = ['embeddings', 'embeddingModel', 'modelProvider', 'modelName', 'modelDailyTokens'] as const;
    assert.deepEqual(
      keys.filter(it => properties[`recollect.${settingKeys[it]}`]?.scope !== 'machine'),
      [],
    );
  });

  it('describe each setting and each of its values', () => {
    const undescribed = Object.entries(properties).filter(([, it]) => {
      const values = it.enumDescriptions ?? it.markdownEnumDescriptions ?? [];
      return (it.description ?? it.markdownDescription) === undefined || values.length !== (it.enum?.length ?? 0);
    });
    assert.deepEqual(undescribed, []);
  });

  it('match the defaults and values of the engine', () => {
    const warnings: string[] = [];
    const config = readConfig(
      key => properties[`recollect.${key}`]?.default,
      it => warnings.push(it),
    );
    assert.deepEqual({ config, warnings }, { config: defaultConfig, warnings: [] });
    assert.deepEqual(properties[`recollect.${settingKeys.embeddings}`]?.enum, [...embeddingChoices]);
    assert.equal(properties[`recollect.${settingKeys.embeddingModel}`]?.default, defaultEmbeddingModel);
    assert.deepEqual(properties[`recollect.${settingKeys.decayProfile}`]?.enum, [...decayProfiles]);
    assert.deepEqual(properties[`recollect.${settingKeys.modelProvider}`]?.enum, [...modelProviders]);
    assert.deepEqual(properties[`recollect.${settingKeys.maintenancePreset}`]?.enum, [...retentionPresets]);
    assert.deepEqual(properties[`recollect.${settingKeys.maintenanceAutomatic}`]?.enum, [
      ...automaticMaintenanceChoices,
    ]);
  });

  it('match the tools of src/operations and their schemas (RECOLLECT_UPDATE=1 npm run test:unit updates them)', () => {
    const expected = contributes.languageModelTools.map(it => ({ ...it, ...fromTool(it.name) }));
    if (process.env.RECOLLECT_UPDATE === '1') {
      const manifest = JSON.parse(text) as Manifest;
      manifest.contributes.languageModelTools = expected;
      writeFileSync('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
      return;
    }
    assert.deepEqual(
      chatTools.map(it => `${toolPrefix}${it.name}`),
      [...toolNames],
    );
    assert.deepEqual(contributes.languageModelTools, expected);
  });
});

function fromTool(name: string): Partial<ToolContribution> {
  const tool = chatTools.find((it: Tool) => `${toolPrefix}${it.name}` === name);
  if (tool === undefined) return {};
  return {
    ...(tool.reference === undefined ? {} : { toolReferenceName: tool.reference }),
    modelDescription: tool.description,
    inputSchema: modelSchema(tool),
  };
}

function resolved(value: string): string {
  return value.replace(/%([\w.]+)%/gu, (_all, key: string) => strings[key] ?? '');
}
