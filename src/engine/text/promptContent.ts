import { analyzeContent, contentTermSet } from './analyzer.js';

/** Words that go on with a conversation: what a prompt of nothing else is about was said before it. */
const conversationalTerms = contentTermSet(
  'yes yeah yep yup nope ok okay sure fine good great nice perfect cool thanks thank thx right correct exactly wrong true ' +
    'go going ahead continue proceed carry keep come try retry next previous last first second third fourth one ones two three ' +
    'another option stop wait cancel undo redo hm hmm well let maybe thing things stuff way like want need look see show tell say ' +
    'explain less done finish ready sounds looks works better best idea instead none make made get got',
);

/** Whether a prompt has a word of its own to search by. */
export function hasOwnContent(prompt: string): boolean {
  return analyzeContent(prompt).some(it => !conversationalTerms.has(it) && !/^\d$/u.test(it));
}
