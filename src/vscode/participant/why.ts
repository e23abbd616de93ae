import * as vscode from 'vscode';
import { shortId, type Memory } from '../../engine/model/memory.js';
import type { RankPart, RankPartName, TraceCandidate } from '../../engine/model/trace.js';
import { commandIds } from '../contributions.js';
import { localizeText } from '../l10n/engineMessages.js';
import { formatInteger } from '../l10n/labels.js';
import type { CitedMemory } from './chatAnswer.js';
import { roundPreservingSum } from './largestRemainder.js';
import type { ChatAnswerMetadata, ChatRequestContext } from './chatContext.js';

/** The inspector shows all candidates. */
const maxReturnedShown = 5;
const maxCutShown = 3;

interface ExplainedCandidate extends CitedMemory {
  readonly candidate: TraceCandidate;
  readonly parts: readonly RankPart[];
}

/** `/why`: explains the last recall of this chat from its trace. */
export async function handleWhy({ engine, answer, lastTrace }: ChatRequestContext): Promise<ChatAnswerMetadata> {
  if (lastTrace === undefined) {
    answer.example(
      vscode.l10n.t('Nothing has been recalled in this chat yet. Ask first, such as'),
      '@recollect how do we deploy?',
    );
    answer.button(vscode.l10n.t('Explain the Last Answer of Any Chat'), commandIds.explainLastAnswer);
    return {};
  }
  const { trace, parts, memories } = await engine.explainer.explainTrace(lastTrace);
  const byId = new Map(memories.map(it => [it.id, it]));
  const explained = trace.candidates.map((candidate, index): ExplainedCandidate => ({
    ...toCitedMemory(byId.get(candidate.id), candidate.id),
    candidate,
    parts: parts[index]!,
  }));
  const returned = explained.filter(it => it.candidate.outcome === 'returned');
  const cut = explained.filter(it => it.candidate.outcome !== 'returned');

  const ms = trace.stages.reduce((sum, it) => sum + it.ms, 0).toFixed(1);
  const counts = [formatInteger(returned.length), formatInteger(trace.candidateCount), ms] as const;
  answer.paragraph(
    trace.cache === 'hit'
      ? vscode.l10n.t('"{0}": {1} recalled of {2} found, in {3} ms from the cache.', trace.query, ...counts)
      : vscode.l10n.t('"{0}": {1} recalled of {2} found, in {3} ms.', trace.query, ...counts),
  );
  for (const degradation of trace.degraded) answer.remark(vscode.l10n.t('Without: {0}.', localizeText(degradation)));
  for (const it of trace.remarks ?? []) answer.remark(localizeText(it));
  if (returned.length > 0) answer.heading(vscode.l10n.t('In the answer, and what their rank is made of'));
  for (const it of returned.slice(0, maxReturnedShown))
    answer.listItem(it, '', [rankFormula(it), ...inclusionReasons(it)], explained);
  remarkOmitted(answer, returned.length - maxReturnedShown);
  if (cut.length > 0) answer.heading(vscode.l10n.t('Left out'));
  for (const it of cut.slice(0, maxCutShown)) answer.listItem(it, cutReasonLabel(it.candidate), [rankFormula(it)]);
  remarkOmitted(answer, trace.candidateCount - returned.length - Math.min(cut.length, maxCutShown));
  answer.button(vscode.l10n.t('Open in Inspector'), commandIds.explainLastAnswer, trace.id);
  return {};
}

function toCitedMemory(memory: Memory | undefined, id: string): CitedMemory {
  return { id: shortId({ id }), content: memory?.content ?? vscode.l10n.t('no longer there') };
}

/** `0.83 = relevance 0.55 + confidence 0.20 + …`, without parts that round to zero. */
function rankFormula({ parts }: ExplainedCandidate): string {
  const { rounded, sum } = roundPreservingSum(
    parts.map(it => it.value),
    2,
  );
  const terms = parts.flatMap(({ name }, index) =>
    rounded[index] === 0 ? [] : [`${rankPartLabel(name)} ${rounded[index]!.toFixed(2)}`],
  );
  return `${sum.toFixed(2)} = ${terms.join(' + ') || '0'}`;
}

function inclusionReasons({ candidate: { because } }: ExplainedCandidate): string[] {
  if (because === undefined) return [];
  const id = `#${shortId({ id: because.contradicts })}`;
  return [vscode.l10n.t('It came along because it contradicts {0}: {1}', id, localizeText(because.reason))];
}

function remarkOmitted(answer: ChatRequestContext['answer'], count: number): void {
  answer.endList();
  if (count > 0) answer.remark(vscode.l10n.t('And {0} more.', formatInteger(count)));
}

function cutReasonLabel({ outcome }: TraceCandidate): string {
  if (outcome === 'over budget') return vscode.l10n.t('no tokens were left for it');
  if (outcome === 'given before') return vscode.l10n.t('the session has been given it before');
  return vscode.l10n.t('others rank higher, and the answer has a limit');
}

function rankPartLabel(name: RankPartName): string {
  const labels: Record<RankPartName, string> = {
    words: vscode.l10n.t('words'),
    meaning: vscode.l10n.t('meaning'),
    aids: vscode.l10n.t('search aids'),
    age: vscode.l10n.t('age'),
  };
  return labels[name];
}
