import { hidesCharacters, imitatesMessage } from './contextEnvelope.js';

/** Why a text reads as if it were there to steer an assistant, and not as a fact or a rule of a person. */
export const instructionMarks = ['orders', 'imitates', 'sends', 'hides'] as const;
export type InstructionMark = (typeof instructionMarks)[number];

/** Description of each mark in English; continues "This text … ". */
export const instructionMarkLabels: Readonly<Record<InstructionMark, string>> = {
  orders: 'gives orders to the assistant',
  imitates: 'imitates a message or a tool call',
  sends: 'would send data to an address',
  hides: 'hides characters',
};

/**
 * Orders that no rule of a project needs: to drop other rules, to hide something from the person, to be another assistant. What
 * a team lays down ("Always run the tests before a commit", "Never deploy without approval") matches none.
 */
const orders: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|the|your|my|our|these|those|every|each|of|and|other)\s+){0,4}(?:previous|prior|above|earlier|preceding|former|existing|foregoing|system|safety)\s+(?:\w+\s+){0,2}(?:instructions?|rules?|prompts?|messages?|guidelines?|directives?|directions?|context|constraints?|restrictions?)\b/iu,
  /\b(?:ignore|disregard|forget|override)\s+(?:all|any|every(?:thing)?)\s+(?:(?:of|other|your|the)\s+){0,2}(?:instructions?|rules?|guidelines?|directives?|(?:you|that)\s+(?:were|was|have\s+been)\s+(?:told|said|given))/iu,
  /\b(?:ignorier\w*|missacht\w*|vergiss)\s+(?:\w+\s+){0,2}(?:vorherigen?|bisherigen?|obigen?|früheren?)\s+(?:\w+\s+)?(?:anweisungen|regeln|befehle)/iu,
  /\b(?:ignor[ae]|olvida|descarta|esqueç?a|dimentica)\s+(?:\w+\s+){0,3}(?:instrucciones|instruções|istruzioni|reglas|regras|regole)\s+(?:anteriores|previas|precedenti|acima)/iu,
  /\b(?:ignore[zr]?|oublie[zr]?)\s+(?:\w+\s+){0,2}(?:instructions|consignes|règles)\s+(?:précédentes|antérieures|ci-dessus)/iu,
  /(?:игнорируй|забудь|не\s+обращай\s+внимания\s+на)\S{0,3}\s+(?:\S+\s+){0,2}(?:предыдущи|прежни|прошлы)\S+\s+(?:инструкци|указани|правил)/iu,
  /(?:忽略|无视|忘记|忽視|無視)(?:掉)?(?:你)?(?:所有|全部|一切)?(?:的)?(?:之前|以上|先前|前面|以前)(?:的)?(?:所有|全部|一切)?(?:的)?(?:指令|指示|命令|规则|提示)/u,
  /(?:以前|これまで|上記|前)の(?:すべての|全ての)?(?:指示|命令|ルール)を(?:すべて|全て)?(?:無視|忘れ)/u,
  /\b(?:do\s+not|don['’]t|never|must\s+not)\s+(?:mention|reveal|disclose|report|say|show)\s+(?:this|it|that|any\s+of\s+this|these\s+\w+)\s+to\s+(?:the\s+)?(?:user|human|person|developer|anyone)\b/iu,
  /\b(?:do\s+not|don['’]t|never|must\s+not)\s+(?:tell|inform|alert|notify|warn)\s+(?:the\s+)?(?:user|human|person|developer|anyone)\s+(?:about\s+(?:this|it|these|any\s+of)|that\s+you\b|what\s+you\b)/iu,
  /\bwithout\s+(?:telling|informing|alerting|notifying)\s+the\s+(?:user|human|person|developer)\b/iu,
  /\byou\s+are\s+(?:now|no\s+longer)\s+(?:(?:an?|the|my|in)\s+)?(?:\w+\s+){0,2}(?:assistant|ai|language\s+model|chatbot|agent|dan|jailbroken|unrestricted|developer\s+mode)\b/iu,
  /\b(?:new|updated|real|actual|hidden|secret|urgent)\s+(?:system\s+)?(?:instructions?|prompt)\s*:/iu,
  /\bsystem\s+(?:prompt\s+)?override\b|\bjailbreak\s+mode\b|\bdo\s+anything\s+now\b/iu,
  /\b(?:reveal|print|output|repeat|show|send|leak)\s+(?:me\s+)?(?:your|the)\s+(?:(?:full|entire|hidden|whole)\s+)?system\s+prompt\b/iu,
  /\b(?:ai|assistants?|agents?|llms?|language\s+models?|claude|copilot|chatgpt|codex|gemini)(?:\s*,)?\s+(?:that\s+|which\s+|who\s+)?(?:reads?|reading|processing|sees?|seeing)\s+this\b/iu,
];

/** Requests of an attacker, before an address. */
const sends: readonly RegExp[] = [
  /\b(?<!\b(?:not|never|n['’]t|avoid)\s{1,3}(?:\w{1,12}\s{1,3}){0,2})(?:send|post|upload|exfiltrate|forward|leak|transmit|e-?mail|submit|append|include)\b(?:[^.\n]|\.(?=env\b|ssh\b)){0,100}\b(?:conversation|chat\s+(?:history|log)|history|memor(?:y|ies)|secrets?|credentials?|api\s+keys?|tokens?|passwords?|env(?:ironment)?\s+variables?|private\s+keys?|ssh\s+keys?|(?:all|the|your|our|my)\s+keys|cookies|source\s+code|system\s+prompt|contents?\s+of|(?<=\.)(?:env|ssh)|id_rsa)\b[^\n]{0,80}(?:https?:\/\/|\bwww\.|\b[\w.+-]{1,64}@[\w-]{1,64}\.)/iu,
  /\bcurl\b[^\n]{0,200}(?:\$\(|@|<)[^\n]{0,60}(?:\.env\b|id_(?:rsa|ed25519)|\.ssh\b|\.aws\b|\.netrc|\/etc\/passwd)/iu,
  // An image is loaded by the program that shows it; a link with a place for data asks for data.
  /!\[[^\]\n]{0,200}\]\(\s*(?:https?:)?\/\/[^)\s]{0,300}\?/iu,
  /https?:\/\/[^\s)]{0,300}[?&/=](?:\{\{?|\$\{|<|%7B|\[)\s*(?:conversation|history|context|prompt|memor|chat|secrets?|env|contents?|user_?data|base64)/iu,
];

/** The marks of a text, each once, in the order above; none for ordinary rules and facts. Linear. */
export function findInstructionMarks(text: string): readonly InstructionMark[] {
  const found: Readonly<Record<InstructionMark, boolean>> = {
    orders: orders.some(it => it.test(text)),
    imitates: imitatesMessage(text),
    sends: sends.some(it => it.test(text)),
    hides: hidesCharacters(text),
  };
  return instructionMarks.filter(it => found[it]);
}

/** Warning for a reader before the words of a text, such as "gives orders to the assistant"; undefined for most. */
export function describeInstructionMarks(text: string): string | undefined {
  const marks = findInstructionMarks(text);
  return marks.length === 0 ? undefined : marks.map(it => instructionMarkLabels[it]).join(', ');
}
