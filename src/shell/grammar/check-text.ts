/** Longer scripts are not everyday commands; reading them would only cost time. */
const maxLength = 64 * 1024;

/** Why a text is not even passed to the grammar. */
export function findTextFault(command: string): string | undefined {
  if (command.length > maxLength) return `it is ${command.length} characters long`;
  const found = unseen.exec(command)?.[0];
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `it contains an invisible or look-alike character (U+${code})`;
}

/**
 * Control characters except tab and newline, blanks that are not blanks to a shell, direction marks, fillers, lone
 * surrogates. By class and by number, so that this file itself stays readable.
 */
const unseen =
  /(?![\t\n])\p{Cc}|(?! )\p{Zs}|\p{Zl}|\p{Zp}|\p{Cf}|\p{Cs}|\p{Co}|\p{Cn}|\u034f|\u115f|\u1160|\u3164|\uffa0|[\ufe00-\ufe0f]/u;
