/** Longer texts say more than thanks. */
const maxLength = 80;

const words: ReadonlySet<string> = new Set(
  (
    'thank thanks thx you very much so a lot ok okay got it noted great good nice perfect excellent awesome cool job work well ' +
    'done received acknowledged ack understood roger that sounds fine all the your for this report update cheers team everyone'
  ).split(' '),
);

/** At least one of these, or it says something else. */
const cores =
  /\b(thanks?|thx|ok|okay|got it|noted|received|acknowledged|ack|understood|roger|well done|great|good|nice|perfect|excellent|awesome|cheers)\b/;

/**
 * Whether a message says no more than that another one arrived: it wakes no agent, and its reader sees it with whatever comes
 * next. Only short texts of such words count: "OK, use port 80" and "Great, do it" are instructions.
 */
export function isAcknowledgement(text: string): boolean {
  const plain = text.trim().toLowerCase().replaceAll('will do', 'ok');
  if (plain.length === 0 || plain.length > maxLength || plain.includes('?')) return false;
  const found = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (found.length === 0) return /^\p{Extended_Pictographic}/u.test(plain);
  return cores.test(plain) && found.every((word) => words.has(word));
}
