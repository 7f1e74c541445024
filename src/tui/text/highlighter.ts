import hljs from 'highlight.js/lib/core';
import { languages } from './highlight-languages.ts';
import type { StyleName } from './theme.ts';
import type { Highlighter, Token } from './tokens.ts';

const mostKept = 200;
const mostKeptCode = 20 * 1024;

export function makeHighlighter(): Highlighter {
  const grammars = hljs.newInstance();
  const kept = new Map<string, Token[][]>();
  return {
    tokens(code, language) {
      const grammar = languages[language];
      if (!grammar) return undefined;
      const key = `${language}\n${code}`;
      const before = kept.get(key);
      if (before) return before;
      if (!grammars.getLanguage(grammar.name)) grammars.registerLanguage(grammar.name, grammar.define);
      const lines = linesOf(grammars.highlight(code, { language: grammar.name, ignoreIllegals: true }).value);
      if (code.length <= mostKeptCode) keep(kept, key, lines);
      return lines;
    },
  };
}

function keep(kept: Map<string, Token[][]>, key: string, lines: Token[][]): void {
  const oldest = kept.size >= mostKept ? kept.keys().next().value : undefined;
  if (oldest !== undefined) kept.delete(oldest);
  kept.set(key, lines);
}

/** Its output is HTML of spans and five entities, and nothing else. */
function linesOf(html: string): Token[][] {
  const lines: Token[][] = [[]];
  const open: StyleName[] = [];
  for (const [part] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (part === '</span>') open.pop();
    else if (part.startsWith('<span')) open.push(nameOf(part.slice(13, -2), open.at(-1)));
    else addText(lines, decode(part), open.at(-1) ?? 'text');
  }
  return lines;
}

function addText(lines: Token[][], text: string, name: StyleName): void {
  const [first = '', ...others] = text.split('\n');
  if (first !== '') lines.at(-1)?.push({ text: first, name });
  for (const line of others) lines.push(line === '' ? [] : [{ text: line, name }]);
}

function nameOf(classes: string, outer: StyleName | undefined): StyleName {
  const names = classes.replaceAll('hljs-', '').split(' ');
  const title = names[0] === 'title' ? (names.includes('class_') ? 'type' : 'function') : undefined;
  return title ?? styleNames[names[0] ?? ''] ?? outer ?? 'text';
}

const styleNames: Readonly<Record<string, StyleName>> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  literal: 'number',
  number: 'number',
  symbol: 'number',
  string: 'string',
  regexp: 'string',
  char: 'string',
  link: 'string',
  quote: 'comment',
  comment: 'comment',
  doctag: 'comment',
  built_in: 'type',
  type: 'type',
  name: 'keyword',
  tag: 'keyword',
  attr: 'function',
  attribute: 'function',
  property: 'function',
  section: 'heading',
  bullet: 'keyword',
  variable: 'variable',
  'template-variable': 'variable',
  subst: 'variable',
  meta: 'meta',
  addition: 'added',
  deletion: 'removed',
  strong: 'strong',
  emphasis: 'emphasis',
  code: 'code',
};

function decode(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (whole, name: string) => entities[name] ?? whole);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
