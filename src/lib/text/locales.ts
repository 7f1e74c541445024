/**
 * Locales in which a shell reads the bytes of a line as they were judged: nothing, `C`, `POSIX`, or a name that ends in UTF-8,
 * never a path. In GBK, Big5, Shift JIS and others a backslash behind the last byte of a UTF-8 letter is the second half of one
 * letter, and escapes nothing. A name without a character set may stand for one of these (`zh_TW`).
 */
export const judgedLocale = /^(?:C|POSIX|UTF-8|[A-Za-z]+(?:_[A-Za-z]+)?\.utf-?8(?:@[a-z]+)?)?$/i;

/** The user's variables, where the locale is such a one, or one of single bytes: there a backslash is always itself. */
export function withJudgedLocale(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      !/^(?:LANG$|LC_)/.test(name) || judgedLocale.test(value) || singleBytes.test(value) ? value : 'C.UTF-8',
    ]),
  );
}

const singleBytes = /^[A-Za-z]+(?:_[A-Za-z]+)?\.iso-?8859-?\d{1,2}(?:@[a-z]+)?$/i;
