import * as vscode from 'vscode';
import { commandIds, contextKeys, type CommandId } from './contributions.js';

/** Key in `globalState` of the context keys of the steps that were done. */
const doneKey = 'walkthrough.done';
/** The commands that do a step of the walkthrough, by its context key. */
const doneBy: Readonly<Record<string, readonly CommandId[]>> = {
  [contextKeys.hasRecalled]: [commandIds.recall],
  [contextKeys.hasSeenInspector]: [
    commandIds.showInspector,
    commandIds.showInInspector,
    commandIds.explainLastAnswer,
    commandIds.showBriefing,
    commandIds.connections,
  ],
};
/** When VS Code may have read the walkthrough of a tab that opened; it takes up to 5 s, and does not say when. */
const readAfterMs = [300, 1_500, 7_000] as const;

type StepKey = (typeof contextKeys)['remembers' | 'hasRecalled' | 'hasSeenTree' | 'hasSeenInspector'];

/**
 * The steps of the walkthrough that were done, whenever that was. VS Code ticks a step only when its context key turns true
 * after it has read the walkthrough, which it does when one is first opened; a key that is true by then never ticks. So the
 * keys of what was done turn true for a moment each time a walkthrough may have come up.
 */
export class WalkthroughSteps implements vscode.Disposable {
  private readonly done: Set<string>;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly disposables: readonly vscode.Disposable[];

  /** @param onDidRun fires for each command that a person runs */
  constructor(
    private readonly memento: vscode.Memento,
    onDidRun: vscode.Event<CommandId>,
  ) {
    this.done = new Set(memento.get<readonly string[]>(doneKey, []));
    this.disposables = [
      onDidRun(id => {
        for (const [key, ids] of Object.entries(doneBy)) if (ids.includes(id)) this.note(key as StepKey);
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
        if ([...opened, ...changed].some(mayBeWalkthrough)) this.tickSoon();
      }),
    ];
    if (vscode.window.tabGroups.all.some(it => it.tabs.some(mayBeWalkthrough))) this.tickSoon();
  }

  note(key: StepKey): void {
    if (this.done.has(key)) return;
    this.done.add(key);
    pulse(key);
    void this.memento.update(doneKey, [...this.done]);
  }

  dispose(): void {
    for (const it of this.timers) clearTimeout(it);
    for (const it of this.disposables) it.dispose();
  }

  private tickSoon(): void {
    for (const it of this.timers) clearTimeout(it);
    this.timers.clear();
    for (const ms of readAfterMs)
      this.timers.add(
        setTimeout(() => {
          for (const it of this.done) pulse(it);
        }, ms),
      );
  }
}

/** The API knows no kind for the tab of a walkthrough. */
function mayBeWalkthrough({ input }: vscode.Tab): boolean {
  return input === undefined;
}

function pulse(key: string): void {
  for (const value of [true, false]) void vscode.commands.executeCommand('setContext', key, value);
}
