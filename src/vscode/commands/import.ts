import path from 'node:path';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { ImportReport, ImportUndo, PastImport } from '../../engine/model/importReport.js';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { localizeText } from '../l10n/engineMessages.js';
import { countLabel, formatInteger } from '../l10n/labels.js';
import { findRuleFiles } from '../welcome.js';
import { toPlainMessage } from '../ui/markdown.js';
import { openReport } from '../ui/report.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reviewImportChanges } from './importChanges.js';
import { reviewImportedLines } from './importReview.js';

/** Imports that may be gone on with. */
const maxImportsShown = 3;

/** "Import Memories…": from an export, or from the files of another memory tool. */
export function registerImport(commands: CommandRegistry, engineHolder: EngineHolder): void {
  commands.register(commandIds.import, async what =>
    what === 'changes'
      ? reviewImportChanges(commands, await engineHolder.engine())
      : importMemories(commands, engineHolder, what === 'rules'),
  );
}

/** @param areRules whether the rules of the open folder are meant: where one file has them, nothing else is asked */
async function importMemories(commands: CommandRegistry, engineHolder: EngineHolder, areRules: boolean): Promise<void> {
  const ruleFiles = await listRuleFiles(await engineHolder.engine());
  const [only, ...others] = areRules ? ruleFiles : [];
  const importKind =
    only !== undefined && others.length === 0 ? only : await pickImportKind(commands, engineHolder, ruleFiles);
  if (importKind === undefined) return;
  const pickedUri = importKind.uri ?? (await pickPath(importKind));
  if (pickedUri === undefined) return;
  const trustChoice = await pickTrustLevel(
    importKind.format === 'recollect',
    importKind.uri === undefined ? undefined : importKind.label,
  );
  if (trustChoice === undefined) return;
  const engine = await engineHolder.engine();
  const report = await withProgress({ title: vscode.l10n.t('Importing memories') }, progressContext =>
    engine.exchange.import({
      path: pickedUri.fsPath,
      ...(importKind.format === undefined ? {} : { format: importKind.format }),
      ...trustChoice.importOptions,
      ...progressContext,
    }),
  );
  const refused = report.sources.some(it => it.refused > 0);
  const details = (): Promise<void> => openReport(refusalReport(report));
  const undo = async (): Promise<void> => {
    const undone = await undoImport(engine, report.id);
    if (undone === undefined) {
      const message = vscode.l10n.t('The import was undone already. "Review What Came In" lists those that are there.');
      commands.notify(commandIds.import, { message });
      return;
    }
    const { removed, kept } = undone;
    const message =
      kept.length === 0
        ? vscode.l10n.t('The import was undone: {0} deleted.', countLabel(removed, 'memory'))
        : vscode.l10n.t(
            'The import was undone: {0} deleted. Changed or confirmed since and kept: {1}.',
            countLabel(removed, 'memory'),
            countLabel(kept.length, 'memory'),
          );
    commands.notify(commandIds.import, { message });
  };
  const review = async (): Promise<void> => {
    const past = (await engine.exchange.listImports()).find(it => it.id === report.id);
    if (past !== undefined) await reviewImportedLines(commands, engine, past);
  };
  const isNew = report.sources.some(it => it.fresh > 0);
  const actions = [
    ...(isNew ? [{ title: vscode.l10n.t('Review'), run: review }] : []),
    ...(report.id === undefined ? [] : [{ title: vscode.l10n.t('Undo'), run: undo }]),
    ...(refused ? [{ title: vscode.l10n.t('Details'), run: details }] : []),
  ];
  commands.notify(commandIds.import, { message: describeImportReport(report), actions });
}

async function pickPath({ label, filters }: ImportKind): Promise<vscode.Uri | undefined> {
  const [picked] =
    (await vscode.window.showOpenDialog({
      title: label,
      canSelectFiles: filters !== undefined,
      canSelectFolders: filters === undefined,
      ...(filters === undefined ? {} : { filters }),
    })) ?? [];
  return picked;
}

/** The files with rules in the open folders that have anything new, with how much. */
async function listRuleFiles(engine: MemoryEngine): Promise<readonly ImportKind[]> {
  const counted = (await findRuleFiles()).map(async (uri): Promise<readonly ImportKind[]> => {
    try {
      const { sources } = await engine.exchange.import({ path: uri.fsPath, format: 'markdown', dryRun: true });
      const count = sources.reduce((all, it) => all + it.fresh, 0);
      if (count === 0) return [];
      const label = vscode.l10n.t('Import Your {0} ({1})', path.basename(uri.fsPath), countLabel(count, 'rule'));
      return [{ label, description: toPlainMessage(vscode.workspace.asRelativePath(uri)), format: 'markdown', uri }];
    } catch (error) {
      // One that cannot be read is not offered.
      if (EngineError.is(error)) return [];
      throw error;
    }
  });
  return (await Promise.all(counted)).flat();
}

/** The kind of import that the person chose; undefined where the person leaves, or goes on with an import or with files that changed instead. */
async function pickImportKind(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  ruleFiles: readonly ImportKind[],
): Promise<ImportKind | undefined> {
  const engine = await engineHolder.engine();
  const [undecided, changed] = await Promise.all([findUndecided(engine), engine.exchange.changedFiles()]);
  const goOn = [
    ...undecided.map(({ past, count }) => ({
      label: vscode.l10n.t('Review the import of {0}', toPlainMessage(past.source)),
      description: vscode.l10n.t('{0} undecided', countLabel(count, 'memory')),
      run: () => reviewImportedLines(commands, engine, past),
    })),
    ...(changed.length === 0
      ? []
      : [
          {
            label: vscode.l10n.t('Imported Files That Have Changed'),
            description: toPlainMessage(changed.map(it => it.file).join(', ')),
            run: () => reviewImportChanges(commands, engine),
          },
        ]),
  ];
  const separator = { label: vscode.l10n.t('New'), kind: vscode.QuickPickItemKind.Separator };
  const rows: readonly (ImportKind & { readonly run?: () => Promise<void> })[] =
    goOn.length + ruleFiles.length === 0
      ? importKinds()
      : [...ruleFiles, ...goOn, ...(goOn.length === 0 ? [] : [separator]), ...importKinds()];
  const picked = await vscode.window.showQuickPick(rows, { title: vscode.l10n.t('Import Memories') });
  if (picked?.run === undefined) return picked;
  await picked.run();
  return undefined;
}

/** The newest imports that have undecided memories. */
async function findUndecided(
  engine: MemoryEngine,
): Promise<readonly { readonly past: PastImport; readonly count: number }[]> {
  const imports = (await engine.exchange.listImports()).filter(it => it.memories > 0).slice(0, maxImportsShown);
  const counted = await Promise.all(
    imports.map(async past => ({ past, count: (await engine.intakes.undecidedLines(past.id)).length })),
  );
  return counted.filter(it => it.count > 0);
}

/** @returns undefined where it was undone before */
async function undoImport(engine: MemoryEngine, id: string | undefined): Promise<ImportUndo | undefined> {
  try {
    return await engine.exchange.undoImport(id);
  } catch (error) {
    if (EngineError.is(error, 'notFound')) return undefined;
    throw error;
  }
}

interface ImportKind extends vscode.QuickPickItem {
  /** Absent where the folder says it. */
  readonly format?: ImportReport['format'];
  /** Of the file dialog; absent where a folder is imported. */
  readonly filters?: Record<string, string[]>;
  /** Known already; absent where the file dialog asks. */
  readonly uri?: vscode.Uri;
}

function importKinds(): readonly ImportKind[] {
  return [
    {
      label: vscode.l10n.t('An export of Recollect'),
      description: 'recollect.jsonl',
      format: 'recollect',
      filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
    },
    { label: vscode.l10n.t('A folder of lerim'), description: '.lerim', format: 'lerim' },
    {
      label: vscode.l10n.t('The file of the MCP memory server'),
      description: 'memory.json',
      format: 'mcp',
      filters: { [vscode.l10n.t('JSON lines')]: ['json', 'jsonl'] },
    },
    { label: vscode.l10n.t('The memory files of Copilot'), description: 'memory-tool/memories', format: 'copilot' },
    {
      label: vscode.l10n.t('The rules of an instructions file'),
      description: 'CLAUDE.md, AGENTS.md',
      format: 'markdown',
      filters: { Markdown: ['md', 'mdc'] },
    },
    {
      label: vscode.l10n.t('A folder of rules or memories'),
      description: '.cursor/rules, .claude/rules, memory-bank',
    },
  ];
}

async function pickTrustLevel(
  isRecollectFormat: boolean,
  title = vscode.l10n.t('How Far Do You Trust It?'),
): Promise<{ readonly importOptions: { readonly own?: boolean; readonly lane?: 'confirmed' } } | undefined> {
  const asNotes = {
    label: vscode.l10n.t('As notes'),
    detail: vscode.l10n.t('They expire unless you confirm them.'),
    importOptions: {},
  };
  const trustedItem = isRecollectFormat
    ? {
        label: vscode.l10n.t('It is my own export'),
        detail: vscode.l10n.t('Everything is as it was: what you confirmed, pinned and decided.'),
        importOptions: { own: true },
      }
    : {
        label: vscode.l10n.t('As confirmed memories'),
        detail: vscode.l10n.t('You vouch for all of them.'),
        importOptions: { lane: 'confirmed' as const },
      };
  return vscode.window.showQuickPick([asNotes, trustedItem], { title });
}

function describeImportReport({ sources, notes = [] }: ImportReport): string {
  const sum = (countOf: 'fresh' | 'known' | 'refused'): string =>
    formatInteger(sources.reduce((all, it) => all + it[countOf], 0));
  return [
    vscode.l10n.t('Imported: {0} new, {1} known, {2} left out.', sum('fresh'), sum('known'), sum('refused')),
    ...notes.map(it => localizeText(it)),
  ].join(' ');
}

/** Each line that was left out, with the reason. */
function refusalReport({ sources }: ImportReport): string {
  return sources
    .filter(it => it.refused > 0)
    .map(({ source, refused, refusals }) => {
      const rest = refused - refusals.length;
      const lines = [
        ...refusals.map(({ where, reason }) => `${localizeText(where)}: ${localizeText(reason)}`),
        ...(rest > 0 ? [vscode.l10n.t('and {0} more', formatInteger(rest))] : []),
      ];
      return `# ${source}\n\n${lines.map(it => `- ${it}\n`).join('')}`;
    })
    .join('\n');
}
