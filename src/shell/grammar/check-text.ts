import { joiningCharacters } from '../../lib/text/hidden-characters.ts';
import { parseText } from './parse-text.ts';

/** Longer scripts are not everyday commands; reading them would only cost time. */
const maxLength = 64 * 1024;

/** Why a text is not even passed to the grammar. */
export function findTextFault(command: string): string | undefined {
  if (command.length > maxLength) return `it is ${command.length} characters long`;
  const at = findUnseen(command);
  if (at === undefined) return undefined;
  const code = (command.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `it contains an invisible or look-alike character (U+${code})`;
}

/** Where it is; undefined where there is none but those that belong to an emoji or a word, in text that stays text. */
function findUnseen(command: string): number | undefined {
  if (!unseen.test(command)) return undefined;
  const joints: number[] = [];
  const breaks: number[] = [];
  // Letters in their place: what a shell makes of the rest does not depend on them.
  const masked = command
    .replace(joiningCharacters(), (_, at: number) => {
      joints.push(at);
      return 'x';
    })
    .replace(/\r(?=\n)/g, (_, at: number) => {
      breaks.push(at);
      return 'x';
    });
  const other = unseen.exec(masked)?.index;
  if (other !== undefined) return other;
  const { quoted, documents } = findQuoted(masked);
  const isIn = (places: readonly Span[]) => (at: number) =>
    places.some(({ pos, end }) => at >= pos && at < end);
  return (
    joints.find((at) => !isIn([...quoted, ...documents])(at)) ?? breaks.find((at) => !isIn(documents)(at))
  );
}

interface Span {
  readonly pos: number;
  readonly end: number;
}

/** Where text is in quotes, and in here-documents of which nothing is expanded. */
function findQuoted(command: string): { quoted: Span[]; documents: Span[] } {
  const found: { quoted: Span[]; documents: Span[] } = { quoted: [], documents: [] };
  const waiting: unknown[] = [];
  try {
    // As plain data: the nodes of the grammar compute parts of themselves on demand.
    waiting.push(JSON.parse(JSON.stringify(parseText(command))));
  } catch {
    return found;
  }
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { type, text } = node as { type?: string; text?: string };
    const span = node as Span;
    if (type === 'SingleQuoted') found.quoted.push(span);
    if (type === 'DoubleQuoted') {
      const { parts } = node as { parts: readonly (Span & { type: string })[] };
      found.quoted.push(...parts.filter((part) => part.type === 'Literal'));
    }
    if (type === 'HereDoc') {
      const { delimiter, body, closing } = node as {
        delimiter?: { quoted: boolean };
        body: Span;
        closing?: Span;
      };
      if (delimiter?.quoted && closing) found.documents.push(body);
    }
    // In backquotes a backslash is taken away first, which moves everything behind it.
    if (type === 'CommandExpansion' && text?.startsWith('`')) continue;
    waiting.push(...Object.values(node));
  }
  return found;
}

/**
 * Control characters except tab and newline, blanks that are not blanks to a shell, direction marks, fillers, lone
 * surrogates. By class and by number, so that this file itself stays readable.
 */
const unseen =
  /(?![\t\n])\p{Cc}|(?! )\p{Zs}|\p{Zl}|\p{Zp}|\p{Cf}|\p{Cs}|\p{Co}|\p{Cn}|\u034f|\u115f|\u1160|\u3164|\uffa0|[\ufe00-\ufe0f]/u;
