/** The place where a text is read: the meaning of `~`, `$HOME` and `$PWD` in it. */
export interface TextPlace {
  readonly home: string;
  readonly directory: string | undefined;
}

/**
 * Everything in a text that could be a word of a command, in any quotes, options or code. More than there are: these can only
 * cause a question, never a grant.
 */
export function findTokens(text: string, place: TextPlace): string[] {
  const filled = fillVariables(text.slice(0, maxLength), place);
  const plain = filled.replace(/\\\n/g, '').replace(/['"\\]/g, '');
  const pieces = [filled, plain].flatMap((one) => one.split(separators));
  const marked = pieces.flatMap((piece) =>
    /^[^\w./~$*?[\]\\-]/.test(piece) ? piece.replace(/^[^\w./~$*?[\]\\-]+/, '') : [],
  );
  const joined = [...pieces, ...marked].flatMap((piece) => afterLetters(piece, /\s/.test(text)));
  const apart = [...pieces, ...joined].flatMap((piece) => (piece.includes(':') ? piece.split(':') : []));
  return [...new Set([...pieces, ...marked, ...joined, ...apart])].filter((piece) => piece !== '');
}

const maxLength = 65_536;
const separators = /[\s;|&()<>`"'{},=!%]+/;

function fillVariables(text: string, { home, directory }: TextPlace): string {
  const homed = text.replace(/\$(?:\{HOME\b[^}]*\}|HOME\b)/g, () => home);
  if (directory === undefined) return homed;
  return homed.replace(/\$(?:\{PWD\b[^}]*\}|PWD\b|\(\s*pwd\s*\))|`\s*pwd\s*`/g, () => directory);
}

/** `-cCOMMAND`: a value that is joined to the letter of its option, or to several letters: a text, or the name of a file. */
function afterLetters(piece: string, isText: boolean): string[] {
  if (!/^-[A-Za-z0-9]./.test(piece)) return [];
  const behind = [2, 3, 4].map((size) => piece.slice(size));
  return behind.filter((name, index) => index === 0 || isText || /[./]/.test(name));
}

export function lastName(token: string): string {
  return token.slice(token.lastIndexOf('/') + 1);
}
