import { Lexer, type Token } from 'marked';
import { showControls } from './controls.ts';
import { over, plain, type Span, type Style } from './style.ts';
import type { Theme } from './theme.ts';

/** Longer or denser text is not parsed: the time for it grows faster than the text. */
const maxText = 8 * 1024;
const maxMarks = 600;
const maxDepth = 16;

/** Text with emphasis, code and links. Line breaks are kept: models and people mean them. */
export function renderInline(text: string, theme: Theme, style: Style = plain): Span[] {
  const source = text.replace(/^ +/gm, '');
  if (!marked.test(source) || !isSimpleEnough(source)) return [{ text: source, style }];
  const tokens = new Lexer({ gfm: true, breaks: true }).inlineTokens(source, []);
  // Characters may be written as numeric entities, so controls can enter this way.
  return renderTokens(tokens, { theme, depth: 0 }, style).map((span) => ({
    ...span,
    text: showControls(span.text, 'prose'),
  }));
}

const marked = /[*_`~[\]<&\\!@]|https?:|www\./i;

function isSimpleEnough(text: string): boolean {
  if (text.length > maxText) return false;
  let marks = 0;
  for (let at = 0; at < text.length; at++) if (special.has(text.charCodeAt(at))) marks++;
  return marks <= maxMarks;
}

const special = new Set([...'*_`~[]<&\\!@'].map((character) => character.charCodeAt(0)));

interface Context {
  theme: Theme;
  depth: number;
}

function renderTokens(tokens: readonly Token[], context: Context, style: Style): Span[] {
  return tokens.flatMap((token) => renderToken(token, context, style));
}

function renderToken(token: Token, context: Context, style: Style): Span[] {
  const { styles } = context.theme;
  if (context.depth > maxDepth) return [{ text: flow(token.raw), style }];
  const within = (inner: Style) =>
    renderTokens(
      'tokens' in token ? (token.tokens ?? []) : [],
      { ...context, depth: context.depth + 1 },
      over(style, inner),
    );
  switch (token.type) {
    case 'strong':
      return within(styles.strong);
    case 'em':
      return within(styles.emphasis);
    case 'del':
      return within(context.theme.attributes ? { strike: true } : plain);
    case 'codespan':
      return renderCodespan(String(token.text), context, style);
    case 'br':
      return [{ text: '\n', style }];
    case 'link':
    case 'image':
      return renderLink(token, within(styles.link), context, style);
    case 'html':
    case 'tag':
      return [isBreak(token.raw) ? { text: '\n', style } : { text: flow(token.raw), style }];
    case 'escape':
      return [{ text: String(token.text), style }];
    default:
      return [{ text: decode(flow('text' in token ? String(token.text) : token.raw)), style }];
  }
}

/** Where there are no colours, the marks stay. */
function renderCodespan(text: string, { theme }: Context, style: Style): Span[] {
  const shown = theme.level === 'none' ? `\`${flow(text)}\`` : flow(text);
  return [{ text: shown, style: over(style, theme.styles.code) }];
}

function renderLink(token: Token, inner: Span[], { theme }: Context, style: Style): Span[] {
  const href = 'href' in token ? String(token.href).trim() : '';
  const label = token.type === 'image' ? [{ text: `[image: ${String(token.text)}]`, style }] : inner;
  const text = label.map((span) => span.text).join('');
  const link = theme.hyperlinks && isClean(href) ? href : undefined;
  const shown =
    link === undefined ? label : label.map((span) => ({ ...span, style: { ...span.style, link } }));
  if (isSameAddress(text, href) || (link !== undefined && !looksLikeAddress(text))) return shown;
  return [...shown, { text: ` (${flow(href)})`, style: over(style, theme.styles.dim) }];
}

/** An address goes into an escape sequence only if none of its characters could end that sequence. */
function isClean(href: string): boolean {
  return href.length <= 2000 && /^https?:\/\/[\x21-\x7e]+$/.test(href);
}

function isSameAddress(text: string, href: string): boolean {
  return text === href || `mailto:${text}` === href || `http://${text}` === href || href === '';
}

/** Text that could pass for an address is always shown with the real one. */
function looksLikeAddress(text: string): boolean {
  return /[./:@]/.test(text);
}

function isBreak(raw: string): boolean {
  return /^<br *\/?>$/i.test(raw);
}

function flow(text: string): string {
  return text.replaceAll('\n', ' ');
}

/** The entity names that Markdown itself needs. */
function decode(text: string): string {
  return text.includes('&')
    ? text.replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
    : text;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
