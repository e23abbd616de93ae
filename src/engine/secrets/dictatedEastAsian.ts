import type { NamedSecret } from './secretRule.js';

/** A dictated clause in Chinese, Japanese or Korean after its noun: "密码是大写的K，小写的m，七，七，感叹号" */
const clausePattern =
  /(?:密[码碼]|口令|PIN码|パスワード|パスフレーズ|暗証番号|비밀번호|패스워드|암호)(?<clause>[^\n。.!?]{0,80})/gu;

/** Letters, digits, signs and capitals by their names. */
const piecePattern =
  /大写|小写|大文字|小文字|대문자|소문자|感[叹嘆]号|感嘆符|びっくりマーク|问号|井号|星号|下划线|减号|横杠|シャープ|ハイフン|アンダー(?:バー|スコア)|アスタリスク|느낌표|샵|별표|하이픈|밑줄|[零〇幺一二两三四五六七八九]|(?<![\p{sc=Hiragana}])(?:れい|ゼロ|いち|に|さん|よん|し|ご|ろく|なな|しち|はち|きゅう|く)(?=[、,です]|$)|(?<![\p{sc=Hangul}])(?:영|공|일|이|삼|사|오|육|칠|팔|구)(?=[ ,]|입니다|$)|(?<![A-Za-z])[A-Za-z](?![A-Za-z])/gu;

/** Of a rule for passwords: so many characters, letters or digits at least. */
const rulePattern = /字母|个|位|以上|至少|包含|必须|文字以上|含む|含め|必要|桁|자 이상|포함|이상|자리/u;
const minPieces = 3;

/** Linear. */
export function* findDictatedEastAsian(text: string): Generator<NamedSecret> {
  for (const match of text.matchAll(clausePattern)) {
    const clause = match.groups!.clause!;
    if (rulePattern.test(clause)) continue;
    const pieces = [...clause.matchAll(piecePattern)];
    if (pieces.length < minPieces) continue;
    const clauseStart = match.index + match[0].length - clause.length;
    const last = pieces.at(-1)!;
    yield { label: 'password', start: clauseStart + pieces[0]!.index, end: clauseStart + last.index + last[0].length };
  }
}
