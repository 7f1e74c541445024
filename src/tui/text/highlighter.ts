import hljs from 'highlight.js/lib/core';
import type { Clock } from '../../lib/clock.ts';
import { type Grammar, languages } from './highlight-languages.ts';
import type { StyleName } from './theme.ts';
import type { Highlighter, Token } from './tokens.ts';

/**
 * Code is coloured in parts of this size: some grammars take time that grows with the square of their input, and of a
 * growing block only the end is then coloured again.
 */
const partSize = 3000;
const maxLineLength = 400;
/** Milliseconds per second: code that would take more stays plain, so the screen stays responsive. */
const maxOfSecond = 300;
const maxKept = 400;

export function makeHighlighter(clock: Clock): Highlighter {
  const grammars = hljs.newInstance();
  const kept = new Map<string, Token[][]>();
  let second = { start: Number.NEGATIVE_INFINITY, spent: 0 };
  const hasTime = (): boolean => {
    if (clock.monotonic() - second.start > 1000) second = { start: clock.monotonic(), spent: 0 };
    return second.spent < maxOfSecond;
  };
  const colour = (part: string, grammar: Grammar): Token[][] => {
    const key = `${grammar.name}\n${part}`;
    const before = kept.get(key);
    if (before) return before;
    if (!hasTime()) return plainLines(part.split('\n'));
    const start = clock.monotonic();
    if (!grammars.getLanguage(grammar.name)) grammars.registerLanguage(grammar.name, grammar.define);
    const lines = readTokenLines(
      grammars.highlight(part, { language: grammar.name, ignoreIllegals: true }).value,
    );
    second.spent += clock.monotonic() - start;
    const oldest = kept.size >= maxKept ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(key, lines);
    return lines;
  };
  return {
    tokens(code, language) {
      const grammar = languages[language];
      if (!grammar) return undefined;
      return splitParts(code).flatMap((part) =>
        hasLongLine(part) ? plainLines(part) : colour(part.join('\n'), grammar),
      );
    },
  };
}

/** Cut at an empty line if one is near, so related lines stay together. */
function splitParts(code: string): string[][] {
  const parts: string[][] = [[]];
  let size = 0;
  for (const line of code.split('\n')) {
    const isFull = size > partSize || (size > partSize / 2 && parts.at(-1)?.at(-1) === '');
    if (isFull || size + line.length > partSize * 2) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(line);
    size += line.length + 1;
  }
  return parts;
}

function hasLongLine(part: readonly string[]): boolean {
  return part.some((line) => line.length > maxLineLength);
}

function plainLines(part: readonly string[]): Token[][] {
  return part.map((text) => (text === '' ? [] : [{ text, name: 'text' }]));
}

/** Its output is HTML of spans and five entities, nothing else. */
function readTokenLines(html: string): Token[][] {
  const lines: Token[][] = [[]];
  const open: StyleName[] = [];
  for (const [part] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (part === '</span>') open.pop();
    else if (part.startsWith('<span')) open.push(chooseStyleName(part.slice(13, -2), open.at(-1)));
    else addText(lines, decode(part), open.at(-1) ?? 'text');
  }
  return lines;
}

function addText(lines: Token[][], text: string, name: StyleName): void {
  const [first = '', ...others] = text.split('\n');
  if (first !== '') lines.at(-1)?.push({ text: first, name });
  for (const line of others) lines.push(line === '' ? [] : [{ text: line, name }]);
}

function chooseStyleName(classes: string, outer: StyleName | undefined): StyleName {
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
