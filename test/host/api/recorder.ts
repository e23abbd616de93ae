import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ChatAnswerStream } from '../../../src/vscode/participant/chatAnswer.js';

/** Records an answer of the participant. */
export class Recorder implements ChatAnswerStream {
  /** The Markdown, with the titles of anchors. */
  markdownText = '';
  readonly anchors: vscode.Uri[] = [];
  readonly buttons: vscode.Command[] = [];
  readonly references: (vscode.Uri | vscode.Location)[] = [];
  readonly progresses: string[] = [];
  onMarkdown: () => void = () => undefined;

  markdown(value: string | vscode.MarkdownString): void {
    assert.ok(typeof value === 'string', 'Markdown that may be trusted');
    this.markdownText += value;
    this.onMarkdown();
  }

  anchor(value: vscode.Uri | vscode.Location, title = ''): void {
    if (value instanceof vscode.Uri) this.anchors.push(value);
    this.markdownText += title;
  }

  button(command: vscode.Command): void {
    this.buttons.push(command);
  }

  progress(value: string): void {
    this.progresses.push(value);
  }

  reference(value: vscode.Uri | vscode.Location | { variableName: string }): void {
    if (!('variableName' in value)) this.references.push(value);
  }

  /** The text without escapes. */
  get text(): string {
    return this.markdownText
      .replace(/\\(.)/gu, '$1')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  }
}

/** A fake chat model that responds with these parts, or fails. */
export function scriptedModel(answer: readonly string[] | Error): {
  readonly model: vscode.LanguageModelChat;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const sendRequest: vscode.LanguageModelChat['sendRequest'] = messages => {
    asked.push(messages.flatMap(it => it.content.map(part => ('value' in part ? part.value : ''))).join('\n---\n'));
    if (answer instanceof Error) return Promise.reject(answer);
    const text = (async function* () {
      for (const it of answer) yield await Promise.resolve(it);
    })();
    return Promise.resolve({ text, stream: text });
  };
  const model: Partial<vscode.LanguageModelChat> = { name: 'Scripted', sendRequest };
  return { model: model as vscode.LanguageModelChat, asked };
}
