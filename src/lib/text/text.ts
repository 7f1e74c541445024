import { hiddenCharacters, isPlainText, type TextKind } from './hidden-characters.ts';

/** Keeps the head and the tail of text that is too long and says how much is left out between them. */
export function boundText(text: string, maxCharacters: number, cutMark = usualMark): string {
  if (text.length <= maxCharacters) return text;
  const room = Math.max(0, maxCharacters - cutMark(text.length).length);
  const head = wholeCharacter(text, Math.ceil(room / 2), -1);
  const tail = wholeCharacter(text, text.length - Math.floor(room / 2), 1);
  return text.slice(0, head) + cutMark(tail - head) + text.slice(tail);
}

/**
 * Outside text that cannot move the cursor, colour, hide or reorder anything when it is shown: invisible characters are
 * written out (`\x1b`, `\u202e`). Newlines and tabs stay.
 */
export function visible(text: string): string {
  return writeOut(text, 'all');
}

/**
 * The same for text the user approves: with symbols (`␛`, `⟨U+202E⟩`), so that an invisible character does not look like an
 * escape that is written in the text itself.
 */
export function visibleBySigns(text: string): string {
  if (isPlainText(text)) return text;
  return text.replace(
    hiddenCharacters('all'),
    (found, kept: string | undefined) => kept || nameHidden(found),
  );
}

/** The same for an answer of a model or the user's own words: emoji and all languages look as they should. */
export function visibleProse(text: string): string {
  return writeOut(text, 'prose');
}

/**
 * The same with line breaks written out too, for a line that contains file names: a name with a line break cannot pass for
 * another line.
 */
export function visibleNames(line: string): string {
  return visible(line).replaceAll('\n', '\\n');
}

/** The same on one line, for lists and titles: a run of blanks, tabs and newlines becomes one blank. */
export function visibleLine(text: string, maxCharacters: number): string {
  const line = visible(joinLines(text.slice(0, maxCharacters * 4)));
  if (line.length <= maxCharacters) return line;
  return `${line.slice(0, wholeCharacter(line, maxCharacters - 1, -1))}…`;
}

/**
 * Text on one line. Only blanks, tabs and newlines are joined and trimmed: `trim()` and `\s` would also drop invisible
 * characters (U+FEFF, U+00A0), which must be written out instead.
 */
export function joinLines(text: string): string {
  return text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '');
}

/** A last line counts with or without a newline. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

function usualMark(characters: number): string {
  return `\n… ${characters} characters omitted …\n`;
}

/** Moves a cut that would fall inside a surrogate pair to one side of it. */
function wholeCharacter(text: string, at: number, direction: 1 | -1): number {
  const splits = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return splits ? at + direction : at;
}

function writeOut(text: string, reading: TextKind): string {
  if (isPlainText(text)) return text;
  return text.replace(hiddenCharacters(reading), (found, kept: string | undefined) =>
    kept ? kept : Array.from(found, escapeCharacter).join(''),
  );
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // A byte of a name that is not valid UTF-8: see `exact-paths.ts`.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\u{${code.toString(16)}}`;
}

/** A symbol for an invisible character, or a pile of marks. */
export function nameHidden(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  if (found.length > 2) return `⟨${found.length} marks⟩`;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** A sentence with its full stop, unless it already ends with a mark. */
export function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
