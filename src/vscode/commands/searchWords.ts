import * as vscode from 'vscode';
import { aidLimits } from '../../engine/model/memory.js';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import { pickMemory } from '../ui/memoryPicker.js';
import { statusMessageMs } from '../ui/notifications.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, selectedMemoryIds } from './selection.js';
import { showStatusMessage } from '../ui/messages.js';

/** The command that edits the questions and the keywords by which a memory is found. */
export function registerSearchWords(commands: CommandRegistry, engineHolder: EngineHolder): void {
  commands.register(commandIds.editSearchWords, async (...args) => {
    const engine = await engineHolder.engine();
    if (reportNoSelection(args)) return;
    const picked = selectedMemoryIds(args)[0];
    const id =
      picked ??
      (
        await pickMemory(engine, {
          title: vscode.l10n.t('Edit the Search Words of Which Memory?'),
          placeholder: vscode.l10n.t('Type to search'),
          onError: error => {
            commands.report(commandIds.editSearchWords, error);
          },
        })
      )?.memory.id;
    if (id === undefined) return;
    const { questions = [], keywords = [] } = (await engine.aids([id])).get(id) ?? {};
    const editedQuestions = await promptForList({
      step: 1,
      prompt: vscode.l10n.t(
        'Questions that the memory answers, at most {0}, with ; between them',
        aidLimits.maxQuestions,
      ),
      separator: ';',
      values: questions,
    });
    if (editedQuestions === undefined) return;
    const editedKeywords = await promptForList({
      step: 2,
      prompt: vscode.l10n.t('Other words to find it by, at most {0}, with commas between them', aidLimits.maxKeywords),
      separator: ',',
      values: keywords,
    });
    if (editedKeywords === undefined) return;
    await (await engineHolder.engine()).revise({ id, questions: editedQuestions, keywords: editedKeywords }, 'person');
    showStatusMessage(vscode.l10n.t('Search words saved'), statusMessageMs);
  });
}

/** Undefined when the box is closed. */
async function promptForList({
  step,
  prompt,
  separator,
  values,
}: {
  readonly step: 1 | 2;
  readonly prompt: string;
  readonly separator: string;
  readonly values: readonly string[];
}): Promise<readonly string[] | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Search Words ({0} of 2)', step),
    prompt,
    value: values.join(`${separator} `),
    ignoreFocusOut: true,
  });
  return text
    ?.split(separator)
    .map(it => it.trim())
    .filter(it => it !== '');
}
