import { decodeEntities } from './web-fetch-entities.ts';

export type HtmlToken =
  | { kind: 'text'; text: string }
  | {
      kind: 'tag';
      /** In small letters. */
      name: string;
      isEnd: boolean;
      /** Closes itself: `<br/>`. */
      isVoid: boolean;
      attribute(name: string): string | undefined;
    };

/**
 * HTML as text and tags. Comments, doctypes and processing instructions are left out. Every search goes
 * forward from where the last ended, so that no page is looked at twice.
 */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open === -1) return yield { kind: 'text', text: html.slice(at) };
    if (open > at) yield { kind: 'text', text: html.slice(at, open) };
    const next = html[open + 1] ?? '';
    if (html.startsWith('<!--', open)) at = after(html, '-->', open + 4);
    else if (next === '!' || next === '?') at = after(html, '>', open);
    else if (!/[a-zA-Z/]/.test(next)) {
      yield { kind: 'text', text: '<' };
      at = open + 1;
    } else {
      const end = endOfTag(html, open);
      const tag = readTag(html.slice(open + 1, end));
      at = end + 1;
      if (!tag) continue;
      yield tag;
      if (raw.has(tag.name) && !tag.isEnd && !tag.isVoid) {
        const close = findClose(html, tag.name, at);
        if (close > at) yield { kind: 'text', text: html.slice(at, close) };
        at = close;
      }
    }
  }
}

/** Elements whose content is never tags. */
const raw: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title', 'iframe', 'noscript']);

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/** The `>` that ends the tag: one within quotes does not. */
function endOfTag(html: string, open: number): number {
  let quote = '';
  for (let at = open + 1; at < html.length; at++) {
    const character = html[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at;
    else if ((character === '"' || character === "'") && /[=\s]/.test(html[at - 1] ?? '')) quote = character;
    // A tag is never that long; an open quotation mark must not swallow the page.
    if (at - open > 100_000) return html.indexOf('>', open) === -1 ? html.length : html.indexOf('>', open);
  }
  return html.length;
}

function readTag(inner: string): Extract<HtmlToken, { kind: 'tag' }> | undefined {
  const [, slash, name] = /^(\/?)([a-zA-Z][\w:-]*)/.exec(inner) ?? [];
  if (name === undefined) return undefined;
  return {
    kind: 'tag',
    name: name.toLowerCase(),
    isEnd: slash === '/',
    isVoid: inner.endsWith('/'),
    attribute: (wanted) => attributeOf(inner, wanted),
  };
}

function attributeOf(inner: string, wanted: string): string | undefined {
  const attributes = /([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
  for (const [, name, double, single, bare] of inner.slice(0, 20_000).matchAll(attributes))
    if (name?.toLowerCase() === wanted) return decodeEntities(double ?? single ?? bare ?? '').trim();
  return undefined;
}

function findClose(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}
