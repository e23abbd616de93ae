import '@vscode-elements/elements/dist/vscode-checkbox/index.js';
import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import {
  briefedPrograms,
  briefingBlocks,
  type BriefedProgram,
  type BriefingBlock,
  type LeftOutReason,
} from '../../src/engine/model/briefing.js';
import { hookMoments, type HookMoment } from '../../src/engine/model/guards.js';
import { cutText, readMemoryLine } from '../../src/engine/model/memoryLine.js';
import type { BriefingLineView, BriefingView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator, pageHeading } from '../components.js';
import type { Page } from './page.js';

/** In characters, of a memory that is left out. */
const maxLeftOutLength = 160;

/** The page of what an assistant is given without asking: the lines of its briefing, and a switch for each moment. */
export class BriefingPage implements Page {
  private readonly briefing: AsyncValue<BriefingView>;
  /** Of the last switch. */
  private readonly change: AsyncValue<undefined>;

  constructor(private readonly app: PageHost) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.briefing = new AsyncValue(update);
    this.change = new AsyncValue(update);
  }

  open(): void {
    this.change.clear();
    this.refresh();
  }

  readonly refresh = (): void => {
    const { program } = this.app.state;
    void this.briefing.load(this.app.connection.request('briefing', program === undefined ? {} : { program }));
  };

  view(): unknown {
    const { value, failure } = this.briefing;
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}</div>`;
    if (value === undefined) return loadingIndicator();
    return html`${pageHeading(l10n.t('What My Assistant Gets'))}
      <section class="block first" aria-labelledby="briefing-title">
        <h2 id="briefing-title">${l10n.t('What My Assistant Gets')}</h2>
        ${this.renderHead(value)}
        ${value.notices.map(it => html`<p class="notice">${icon('info')}<span>${it}</span></p>`)}
        ${briefingBlocks.map(block => this.renderBlock(block, value))} ${this.renderLeftOut(value)}
      </section>
      ${this.renderMoments(value)}`;
  }

  private renderHead(view: BriefingView): unknown {
    const { program } = view;
    return html`<div class="row">
      <p class="forecast">${this.describe(view)}</p>
      <label class="choice"
        >${l10n.t('For')}
        <vscode-single-select .value=${program} label=${l10n.t('For')} @change=${this.chooseProgram}>
          ${briefedPrograms.map(
            it => html`<vscode-option value=${it} ?selected=${it === program}>${programNames()[it]}</vscode-option>`,
          )}
        </vscode-single-select></label
      >
    </div>`;
  }

  private describe({ program, isInstalled, hasAsked, refused, moments, lines, tokens }: BriefingView): string {
    const name = programNames()[program];
    if (refused) return l10n.t('Nothing: you have not given {0} the right to read memories.', name);
    if (!moments.includes('start'))
      return l10n.t('Nothing: the start of a session is switched off below. With it, these lines would be given.');
    if (lines.length === 0)
      return l10n.t('Nothing yet: no rule, plan or change is remembered here. A recall finds everything else.');
    const count = this.app.formatter.number(tokens);
    if (!isInstalled)
      return l10n.t(
        '{0} is not on this machine. A session of it would be given these lines, about {1} tokens.',
        name,
        count,
      );
    return hasAsked
      ? l10n.t('A session that starts here now is given these lines, about {0} tokens.', count)
      : l10n.t(
          'Once its hooks are installed, a session of {0} here is given these lines, about {1} tokens.',
          name,
          count,
        );
  }

  private renderBlock(block: BriefingBlock, { lines }: BriefingView): unknown {
    const its = lines.filter(it => it.block === block);
    if (its.length === 0) return nothing;
    return html`<h3 class="briefing-block">${blockTitles()[block]}</h3>
      <ul class="briefing-lines">
        ${its.map(it => html`<li>${this.renderLine(it)}</li>`)}
      </ul>`;
  }

  private renderLine({ id, block, text, reason }: BriefingLineView): unknown {
    const { labels, lines } = readMemoryLine(text);
    const facts = saysReason(block) ? labels : [reason, ...labels.filter(it => !reason.includes(it))];
    const [first, ...others] = lines;
    return html`<button
        class="link"
        title=${l10n.t('Show the page of this memory')}
        @click=${() => {
          this.app.navigate({ page: 'memories', id });
        }}
      >
        ${first}</button
      >${facts.length === 0 ? nothing : html`<span class="facts">${facts.join(' · ')}</span>`}
      ${others.map(it => html`<span class="aside">${it}</span>`)}`;
  }

  private renderLeftOut({ leftOut, others }: BriefingView): unknown {
    const { formatter } = this.app;
    return html`${
      leftOut.length === 0
        ? nothing
        : html`<details class="left-out">
            <summary>${l10n.t('Left out')} <span class="count">${formatter.number(leftOut.length)}</span></summary>
            <ul class="briefing-lines">
              ${leftOut.map(
                ({ id, content, reason }) =>
                  html`<li>
                    ${this.renderLine({ id, block: 'standing', text: cutText(content.replaceAll(/\s+/gu, ' '), maxLeftOutLength), reason: leftOutReasons()[reason] })}
                  </li>`,
              )}
            </ul>
          </details>`
    }${
      others === 0
        ? nothing
        : html`<p class="hint">${l10n.t('Not given, and found by a recall: {0}.', formatter.memoryCount(others))}</p>`
    }`;
  }

  private renderMoments(view: BriefingView): unknown {
    const { program, isInstalled, hasAsked } = view;
    const name = programNames()[program];
    return html`<section class="block" aria-labelledby="moments-title">
      <h2 id="moments-title">${l10n.t('When It May Get Something')}</h2>
      ${
        isInstalled && hasAsked
          ? html`<p class="hint">
                ${l10n.t('Each switch holds for all programs and projects, from the next moment on.')}
              </p>
              ${this.renderSwitches(view)}`
          : html`<p class="hint">
                ${
                  isInstalled
                    ? l10n.t(
                        'Never yet: {0} has not asked. It asks once its hooks are installed, which the user guide shows.',
                        name,
                      )
                    : l10n.t('Never: {0} is not on this machine.', name)
                }
              </p>
              <details class="fold">
                <summary>${l10n.t('Moments allowed to every program')}</summary>
                ${this.renderSwitches(view)}
              </details>`
      }
    </section>`;
  }

  private renderSwitches({ moments }: BriefingView): unknown {
    const texts = momentTexts();
    return html`${this.change.failure === undefined ? nothing : failureNotice(this.change.failure, this.refresh)}
      <ul class="moments">
        ${hookMoments.map(
          it =>
            html`<li>
              <vscode-checkbox
                id="moment-${it}"
                label=${texts[it].label}
                aria-describedby="moment-text-${it}"
                .checked=${live(moments.includes(it))}
                ?disabled=${it === 'handover' && !moments.includes('start')}
                @change=${() => {
                  this.switchMoment(it, !moments.includes(it));
                }}
              ></vscode-checkbox>
              <p id="moment-text-${it}" class="facts">${texts[it].text}</p>
            </li>`,
        )}
      </ul>`;
  }

  private switchMoment(moment: HookMoment, on: boolean): void {
    void this.change.load(this.app.connection.request('setMoment', { moment, on })).then(this.refresh);
  }

  private readonly chooseProgram = (event: Event): void => {
    const program = briefedPrograms.find(it => it === (event.target as HTMLInputElement).value);
    if (program === undefined) return;
    this.app.setState({ program });
    this.refresh();
  };
}

/** Whether the title of a block, or a part of its lines, says already why they are there. */
function saysReason(block: BriefingBlock): boolean {
  return block === 'pinned' || block === 'team' || block === 'due' || block === 'changed';
}

function programNames(): Readonly<Record<BriefedProgram, string>> {
  return {
    'claude-code': l10n.t('Claude Code'),
    codex: l10n.t('Codex'),
    vscode: l10n.t("VS Code's chat"),
    copilot: l10n.t('Copilot CLI'),
  };
}

function blockTitles(): Readonly<Record<BriefingBlock, string>> {
  return {
    handover: l10n.t('Handed over by the session before'),
    pinned: l10n.t('Pinned'),
    standing: l10n.t('How work is done here'),
    team: l10n.t("New from the team's members"),
    due: l10n.t('Due'),
    changed: l10n.t('Changed since the last session'),
    branch: l10n.t('Learned on this branch'),
    recalled: l10n.t('Recalled most in the last 30 days'),
  };
}

function leftOutReasons(): Readonly<Record<LeftOutReason, string>> {
  return {
    noRoom: l10n.t('no room'),
    replaced: l10n.t('replaced by another memory'),
    unconfirmedImport: l10n.t('imported, and not confirmed by you'),
    readByProgram: l10n.t('the assistant reads it itself'),
    repeated: l10n.t('the same words as another memory'),
    faded: l10n.t('heard in a session long ago'),
  };
}

/** What is given at a moment, and what is read for it. */
function momentTexts(): Readonly<Record<HookMoment, { readonly label: string; readonly text: string }>> {
  return {
    start: {
      label: l10n.t('Start of a session'),
      text: l10n.t('Gives the lines above. Reads which folder the session is in.'),
    },
    handover: {
      label: l10n.t('Hand-over'),
      text: l10n.t(
        'Gives with them, once, what the last session handed over. Reads which folder and branch the session is on.',
      ),
    },
    prompt: {
      label: l10n.t('Each prompt'),
      text: l10n.t(
        'Gives what is remembered about it. Reads the prompt. The plugins come with this hook off: their README says how to install it.',
      ),
    },
    edit: {
      label: l10n.t('Before an edit'),
      text: l10n.t(
        'Gives at most two lines about the file. Reads its path and what is replaced and written, and keeps none of it.',
      ),
    },
    command: {
      label: l10n.t('Before a command'),
      text: l10n.t('Gives at most two lines about the command. Reads the command, and does not keep it.'),
    },
    failure: {
      label: l10n.t('After a command failed'),
      text: l10n.t('Gives one line about it. Reads the command and its output, and keeps neither.'),
    },
    stop: {
      label: l10n.t('When the assistant stops'),
      text: l10n.t(
        'Brings published files up to date. Reads the session, and captures it, only where you have allowed that.',
      ),
    },
  };
}
