/** Keeps the head and the tail of a text that is too long and says how much is left out between them. */
export function boundText(text: string, maxCharacters: number, cutMark = usualMark): string {
  if (text.length <= maxCharacters) return text;
  const room = Math.max(0, maxCharacters - cutMark(text.length).length);
  const head = wholeCharacter(text, Math.ceil(room / 2), -1);
  const tail = wholeCharacter(text, text.length - Math.floor(room / 2), 1);
  return text.slice(0, head) + cutMark(tail - head) + text.slice(tail);
}

/**
 * A text from outside that cannot move the cursor, colour, hide or reorder anything when it is shown: controls,
 * escape sequences, bidirectional marks and characters without width are written out (`\x1b`, `\u202e`).
 * Newlines and tabs stay, and so does what joins two emoji to one.
 */
export function visible(text: string): string {
  // Nearly all texts are plain, and looking for all that may hide in others takes ten times as long.
  return /^[\n\t -~]*$/.test(text) ? text : text.replace(unseen, escapeCharacter);
}

/** The same on one line, for lists and titles: white space of any kind becomes one blank. */
export function visibleLine(text: string, maxCharacters: number): string {
  const line = visible(
    text
      .slice(0, maxCharacters * 4)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  if (line.length <= maxCharacters) return line;
  // What joined the parts of an emoji would join the rest to the ellipsis, unseen.
  return `${line.slice(0, wholeCharacter(line, maxCharacters - 1, -1)).replace(/\u200d$/, '')}…`;
}

/** A last line counts whether or not a newline ends it. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

function usualMark(characters: number): string {
  return `\n… ${characters} characters left out …\n`;
}

/** Moves a cut that would fall inside a surrogate pair to one side of it. */
function wholeCharacter(text: string, at: number, direction: 1 | -1): number {
  const splits = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return splits ? at + direction : at;
}

const unseen = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]',
    '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f]',
    // Not `\p{RGI_Emoji}`, which has flags of regions too: to make ready for it takes as long as a third of a cold start.
    '(?<!\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d|\\u200d(?!\\p{Extended_Pictographic})',
    '[\\u200b\\u200c\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb]',
    '[\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]',
    '\\p{Surrogate}',
  ].join('|'),
  'gu',
);

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\u{${code.toString(16)}}`;
}
