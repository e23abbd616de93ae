import * as vscode from 'vscode';
import { EngineError } from '../engine/base/errors.js';
import type { Log } from '../engine/model/host.js';
import type { addInputNotes, Caller, callTool, Confirmation, toolErrorMessage, Tool } from '../operations/tool.js';
import { ToolApprovals } from './toolApprovals.js';
import { toolNames, toolPrefix, type ToolName } from './contributions.js';
import { escapeMarkdown, toTruncatedLine } from './ui/markdown.js';
import { localize } from './l10n/engineMessages.js';
import { localizedErrorMessage } from './l10n/errorMessage.js';
import type { EngineHolder } from './engineHolder.js';

/** Characters of a progress message, which contains input of the model. */
const maxProgressLength = 80;

/** Tools whose result is an answer from memory, with a trace. */
const answeringTools: readonly string[] = ['recall', 'context'];

/** Registers the tools of src/operations as VS Code's language model tools. */
export function registerTools(engineHolder: EngineHolder, log: Log): vscode.Disposable {
  const approvals = new ToolApprovals(
    key => vscode.workspace.getConfiguration().get(key),
    () => performance.now(),
  );
  return vscode.Disposable.from(
    ...toolNames.map(name => vscode.lm.registerTool(name, new ToolAdapter(name, engineHolder, approvals, log))),
  );
}

/** Adapts one tool of src/operations to VS Code. */
export class ToolAdapter implements vscode.LanguageModelTool<unknown> {
  constructor(
    private readonly name: ToolName,
    private readonly engineHolder: EngineHolder,
    private readonly approvals: ToolApprovals,
    private readonly log: Log,
  ) {}

  async prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<unknown>): Promise<vscode.PreparedToolInvocation> {
    const { tool, parsed } = await loadTool(this.name, input);
    // Invalid input is refused by the call itself, with a message for the model; there is nothing to confirm.
    if (!parsed.ok) return {};
    const confirmation = await this.confirmationFor(tool, parsed.value);
    if (confirmation !== undefined) this.approvals.recordPrompt(this.name, input);
    return {
      invocationMessage: literalMarkdown(toTruncatedLine(localize(tool.progress(parsed.value)), maxProgressLength)),
      ...(confirmation === undefined
        ? {}
        : {
            confirmationMessages: {
              title: localize(confirmation.title),
              message: literalMarkdown(localize(confirmation.message)),
            },
          }),
    };
  }

  /**
   * Runs the tool. A call that only a person may decide and that was approved without one becomes a request instead.
   * Returns failures as text and does not reject: VS Code logs the input of a tool that throws, which contains memory
   * text, and a model reads a result and an error alike.
   */
  async invoke(
    { input }: vscode.LanguageModelToolInvocationOptions<unknown>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const isApprovedByPerson = this.approvals.consumeApproval(this.name, input);
    const { tool, parsed, problemOf, addInputNotes, callTool } = await loadTool(this.name, input);
    if (!parsed.ok) return textResult(parsed.problem);
    const controller = new AbortController();
    const cancellationListener = token.onCancellationRequested(() => {
      controller.abort();
    });
    try {
      const engine = await this.engineHolder.engine();
      await engine.activity.admit({ tool: tool.name, readOnly: tool.readOnly });
      const caller: Caller = { source: 'extension-tool', signal: controller.signal };
      const ending = await callTool(tool, engine, parsed.value, caller, () =>
        isApprovedByPerson ? 'run' : { obstacle: 'this call was approved without them' },
      );
      if ('request' in ending) return textResult(ending.request);
      if (answeringTools.includes(tool.name)) this.engineHolder.reportAnswer();
      return textResult(addInputNotes(tool, ending.result, parsed.notes).text);
    } catch (error) {
      if (EngineError.is(error)) this.log.warn(`${this.name}: ${error.code}`);
      else this.log.error(`${this.name} failed.`, error);
      return textResult(problemOf(error, tool, 'The user can see why with the command "Recollect: Show Log".'));
    } finally {
      cancellationListener.dispose();
    }
  }

  private async confirmationFor(tool: Tool, input: unknown): Promise<Confirmation | undefined> {
    if (tool.confirm === undefined) return undefined;
    try {
      return await tool.confirm(await this.engineHolder.engine(), input);
    } catch (error) {
      // The call will fail in the same way and report it.
      if (EngineError.is(error, 'notFound') || EngineError.is(error, 'ambiguousId')) return undefined;
      // The call may succeed, and must not do so without a confirmation.
      const title = vscode.l10n.t('{0}?', tool.title);
      return { title, message: JSON.stringify(input, undefined, 2) };
    }
  }
}

type ParseResult =
  | { readonly ok: true; readonly value: unknown; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problem: string };

interface LoadedTool {
  readonly tool: Tool;
  readonly parsed: ParseResult;
  readonly problemOf: typeof toolErrorMessage;
  readonly addInputNotes: typeof addInputNotes;
  readonly callTool: typeof callTool;
}

/** Parses the input of a tool. Tools are loaded only when a model calls one. */
async function loadTool(name: ToolName, input: unknown): Promise<LoadedTool> {
  const [{ chatTools }, { parseInputWithNotes, toolErrorMessage, addInputNotes, callTool }] = await Promise.all([
    import('../operations/registry.js'),
    import('../operations/tool.js'),
  ]);
  const tool = chatTools.find(it => `${toolPrefix}${it.name}` === name)!;
  const loaded = { tool, problemOf: toolErrorMessage, addInputNotes, callTool };
  try {
    const { input: value, notes } = parseInputWithNotes(tool, input);
    return { ...loaded, parsed: { ok: true, value, notes } };
  } catch (error) {
    return { ...loaded, parsed: { ok: false, problem: localizedErrorMessage(error) } };
  }
}

/**
 * Markdown that shows a text literally, so that the user confirms exactly what is forgotten. (`appendText` would make
 * every space a no-break space, and the lines of a narrow chat would break inside words.)
 */
function literalMarkdown(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString(escapeMarkdown(text));
}

function textResult(text: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}
