/** The look of a piece of text. Colours are SGR parameters (`31`, `38;5;12`) at the terminal's colour level. */
export interface Style {
  readonly fg?: string;
  readonly bg?: string;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly strike?: boolean;
  /** The address that a click opens. Only for terminals known to support it. */
  readonly link?: string;
}

/** Text with one look, free of controls and newlines. Everything is laid out as spans and painted last. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

export const plain: Style = {};

/** The text in the style's colours. Each line is opened and closed separately, so lines can be cut apart. */
export function paint(style: Style, text: string): string {
  const [open, close] = buildCodes(style);
  if (open === '' || text === '') return text;
  if (!text.includes('\n')) return open + text + close;
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : open + line + close))
    .join('\n');
}

export function paintSpans(spans: readonly Span[]): string {
  return joinSpans(spans)
    .map((span) => paint(span.style, span.text))
    .join('');
}

/** Merges neighbours with the same look. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (span.text === '') continue;
    if (last && isSame(last.style, span.style))
      joined[joined.length - 1] = { text: last.text + span.text, style: last.style };
    else joined.push(span);
  }
  return joined;
}

/** The inner style over the outer one. */
export function over(outer: Style, inner: Style): Style {
  return { ...outer, ...inner };
}

function isSame(a: Style, b: Style): boolean {
  if (a === b) return true;
  const [open, close] = buildCodes(a);
  const [otherOpen, otherClose] = buildCodes(b);
  return open === otherOpen && close === otherClose;
}

function buildCodes(style: Style): [open: string, close: string] {
  const on: string[] = [];
  const off: string[] = [];
  for (const [name, start, end] of attributes)
    if (style[name]) {
      on.push(start);
      off.push(end);
    }
  if (style.fg !== undefined) {
    on.push(style.fg);
    off.push('39');
  }
  if (style.bg !== undefined) {
    on.push(style.bg);
    off.push('49');
  }
  const open = on.length === 0 ? '' : `\x1b[${on.join(';')}m`;
  const close = off.length === 0 ? '' : `\x1b[${[...new Set(off)].join(';')}m`;
  if (style.link === undefined) return [open, close];
  return [`\x1b]8;;${style.link}\x1b\\${open}`, `${close}\x1b]8;;\x1b\\`];
}

export const attributes = [
  ['bold', '1', '22'],
  ['dim', '2', '22'],
  ['italic', '3', '23'],
  ['underline', '4', '24'],
  ['inverse', '7', '27'],
  ['strike', '9', '29'],
] as const;
