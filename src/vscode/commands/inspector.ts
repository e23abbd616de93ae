import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import type { Inspector } from '../inspector/inspector.js';
import type { MemorySession } from '../session.js';
import type { Commands } from './registry.js';
import { targetsOf } from './targets.js';

/** "Show Inspector", and the ways into it from a memory and from the last answer. */
export function registerInspector(commands: Commands, session: MemorySession, inspector: Inspector): void {
  commands.register(commandIds.showInspector, () => {
    inspector.show();
  });
  commands.register(commandIds.showInInspector, (...args) => {
    const [id] = targetsOf(args);
    inspector.show({ page: 'confidence', ...(id === undefined ? {} : { id }) });
  });
  commands.register(commandIds.explainLastAnswer, async trace => {
    if (typeof trace === 'string') {
      inspector.show({ page: 'traces', id: trace });
      return;
    }
    const [newest] = await (await session.engine()).inspection.traces({ limit: 1 });
    if (newest !== undefined) inspector.show({ page: 'traces', id: newest.id });
    else commands.tell(commandIds.explainLastAnswer, { message: vscode.l10n.t('Nothing has been recalled yet.') });
  });
}
