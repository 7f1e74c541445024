/*
 * Forms of option values that are text only as long as they look like it. Each is shared by the table of what a program
 * reads and by that of what it writes.
 */

/** In a date of GNU programs `TZ="…"` names a file that they open. */
export const aDate = /^[\w\s:.,+@/-]*$/;

/** The same for programs that take a word with a dot or slash in front for a file whose date is meant. */
export const aDateAlone = /^(?![./])[\w\s:.,+@/-]*$/;

/** Curl takes what is not a date for such a file. */
export const aConditionalDate = /^[+=-]?(?:[A-Za-z]{3,9},? )?\d[\w ,:+-]*$/;

/** The name of an encoding with a slash is a file that iconv opens. */
export const encodings: Readonly<Record<string, RegExp>> = Object.fromEntries(
  ['-f', '-t', '--from-code', '--to-code'].map((name) => [name, /^[\w.:+-]+$/]),
);
