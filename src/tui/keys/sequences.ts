import { pasteBegin } from './paste-guard.ts';

/** Text here has one character for each byte. */
const escapeByte = '\u001b';

/** The escape key, and letters with alt that sequences start with as well. */
const keyByItself = /^\u001b(?:\u001b|[\]P_])?$/;
/** An old form of mouse report: three bytes of any kind. */
const mouse = /^\u001b\[M([\s\S]{0,3})/;
/** Parameters, then the letter that gives its kind; also the keys of the Linux console (`[[A`) and of rxvt (`[2$`). */
const control = /^\u001b{1,2}(?:\[(?:\[[A-Z]|\[\d~|[235678]\$(?!y)|[0-?]*[ -/]*[@-Z\\-~])|O[\d;]*[@-~])/;
const controlBegun = /^\u001b{1,2}(?:\[(?:\[\d?|[0-?]*[ -/]*)|O[\d;]*)?$/;
/** Replies of a terminal: a colour, its name, a picture. None of our keys starts like this. */
const spoken = /^\u001b(?:\][\dlLI]|P[\d>!]|_G)/;
/** Its own end, or a key: then it was cut short. */
const spokenEnd = /\u0007|\u001b\\|(?=\u001b[^\\]|[\0-\u0006\b-\u001a\u001c-\u001f])/;
/** Several letters at once after an escape are typed: only one can go with alt, and only if that has a meaning. */
const typedBehind = /^\u001b[^\0-\u001f\u007f[\]OP_bdfyBDFY<>/][^\0-\u001f\u007f]/;

/** How many characters at the start, an escape, belong together; `more` if the next ones decide. */
export function measureSequence(text: string): number | 'more' {
  if (typedBehind.test(text) || text.startsWith(escapeByte + pasteBegin)) return 1;
  const pointed = mouse.exec(text);
  if (pointed) return pointed[0].length === 6 ? 6 : 'more';
  if (spoken.test(text)) {
    const end = spokenEnd.exec(text.slice(2));
    return end ? 2 + end.index + end[0].length : 'more';
  }
  const found = control.exec(text);
  if (found) return found[0].length;
  if (controlBegun.test(text) || keyByItself.test(text)) return 'more';
  // A letter with alt, or not a sequence after all.
  const broken = /^\u001b\[[0-?]*[ -/]*/.exec(text);
  return broken ? broken[0].length : text[1] === escapeByte ? 1 : 2;
}

/** Whether the beginning of a sequence is a key too, if nothing follows it. */
export function isKeyByItself(text: string): boolean {
  return keyByItself.test(text);
}

/**
 * Whether it is a terminal's report or reply: mouse, focus, cursor position, size, kind, modes, colours; or
 * the end of a paste that never began, or the beginning of an unknown sequence.
 */
export function isReport(sequence: string): boolean {
  if (mouse.test(sequence) || spoken.test(sequence)) return true;
  return /^\u001b\[(?:[<=>?]|[IO]$|\d+(?:;\d+)*[Rtn]$|[\d;]+(?:c|\$y)$|201~$|[\d;:]*[ -/]*$(?<!\$))/.test(
    sequence,
  );
}

/** Whether it can continue a lone escape: the rest of a sequence, or a letter with alt that has a meaning. */
export function continuesEscape(text: string): boolean {
  return /^(?:\[|\u001b|O[\d;]*[A-FHMP-Sa-e]?$|\](?:$|[\dlLI])|P(?:$|[\d>!])|_(?:$|G)|[bdfyBDFY<>/\r\n\u001f\u007f\b]$)/.test(
    text,
  );
}

/** Whether it is the rest of a key whose escape was already taken for the escape key. */
export function isLateRest(text: string): boolean {
  return /^(?:\[(?:[A-DFHZ]|\d+(?:;\d+)?[~A-DFHPQS]|[IO]$|<[\d;]+[Mm])|O[A-DFHP-S]$)/.test(text);
}
