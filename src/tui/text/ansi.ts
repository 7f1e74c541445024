import { attributes, plain, type Span, type Style } from './style.ts';

/** Painted text as spans again. It understands the output of `paint`; any other escape is left out. */
export function parseAnsi(text: string): Span[] {
  if (!text.includes('\x1b')) return text === '' ? [] : [{ text, style: plain }];
  const spans: Span[] = [];
  let style: Style = plain;
  let from = 0;
  for (const match of text.matchAll(escapes)) {
    if (match.index > from) spans.push({ text: text.slice(from, match.index), style });
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = applyCodes(style, match[1]);
    else if (match[2] !== undefined) style = withLink(style, match[2]);
  }
  if (from < text.length) spans.push({ text: text.slice(from), style });
  return spans;
}

const escapes =
  /\x1b\[([\d;]*)m|\x1b\]8;[^;\x1b\x07]*;([^\x1b\x07]*)(?:\x1b\\|\x07)|\x1b(?:\[[0-?]*[ -/]*[@-~]?|.)?/gs;

/** Painted text without any control except those that `paint` writes: looks and links. */
export function onlyPaint(text: string): string {
  return text.replace(controls, (_, ours: string | undefined) => ours ?? '');
}

const controls = /(\x1b\[[\d;]*m|\x1b\]8;[^\x00-\x1f\x7f-\x9f]*\x1b\\|\n)|[\x00-\x1f\x7f-\x9f]/g;

function applyCodes(style: Style, parameters: string): Style {
  const codes = parameters.split(';');
  let now: Style = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? '';
    if (code === '38' || code === '48') {
      const length = codes[at + 1] === '5' ? 3 : 5;
      const colour = codes.slice(at, at + length).join(';');
      now = { ...now, [code === '38' ? 'fg' : 'bg']: colour };
      at += length - 1;
    } else now = applyCode(now, code);
  }
  return now;
}

function applyCode(style: Style, code: string): Style {
  if (code === '' || code === '0') return style.link === undefined ? plain : { link: style.link };
  if (code === '39') return without(style, ['fg']);
  if (code === '49') return without(style, ['bg']);
  if (/^(?:3|9)[0-7]$/.test(code)) return { ...style, fg: code };
  if (/^(?:4|10)[0-7]$/.test(code)) return { ...style, bg: code };
  const on = attributes.find(([, start]) => start === code);
  if (on) return { ...style, [on[0]]: true };
  const off = attributes.filter(([, , end]) => end === code).map(([name]) => name);
  return off.length > 0 ? without(style, off) : style;
}

function withLink(style: Style, link: string): Style {
  return link === '' ? without(style, ['link']) : { ...style, link };
}

function without(style: Style, names: readonly (keyof Style)[]): Style {
  return Object.fromEntries(Object.entries(style).filter(([name]) => !names.includes(name as keyof Style)));
}
