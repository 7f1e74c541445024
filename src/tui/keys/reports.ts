/** What a terminal said about itself, of the things that we asked for. */
export type Report =
  | { readonly kind: 'focus'; readonly isFocused: boolean }
  | { readonly kind: 'background'; readonly background: 'dark' | 'light' }
  /** It can tell shift-return from return, as kitty does. */
  | { readonly kind: 'keyboard' }
  /** Its kind. Every terminal answers this, and in order: what it has not answered before, it does not know. */
  | { readonly kind: 'attributes' };

/** Background colour, keyboard, kind: in this order. */
export const askTerminal = '\u001b]11;?\u001b\\\u001b[?u\u001b[c';

/** One whole report. Undefined for one that nobody asked for. */
export function readReport(sequence: string): Report | undefined {
  if (sequence === '\u001b[I') return { kind: 'focus', isFocused: true };
  if (sequence === '\u001b[O') return { kind: 'focus', isFocused: false };
  if (/^\u001b\[\?\d+u$/.test(sequence)) return { kind: 'keyboard' };
  if (/^\u001b\[\?[\d;]*c$/.test(sequence)) return { kind: 'attributes' };
  const colour = /^\u001b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(sequence);
  if (!colour) return undefined;
  const [red = 0, green = 0, blue = 0] = colour.slice(1).map(readChannel);
  // As bright as it looks: the eye sees most of green and least of blue.
  const isLight = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5;
  return { kind: 'background', background: isLight ? 'light' : 'dark' };
}

/** From 0 to 1, however many digits it has. */
function readChannel(digits: string): number {
  return Number.parseInt(digits, 16) / (16 ** digits.length - 1);
}
