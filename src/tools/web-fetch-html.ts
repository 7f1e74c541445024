import { decodeEntities } from './web-fetch-entities.ts';
import { MarkdownWriter } from './web-fetch-markdown.ts';
import { type HtmlToken, htmlTokens } from './web-fetch-tokens.ts';

/**
 * A page as Markdown, roughly: headings, paragraphs, links, lists, code, quotations, tables. In one pass, and in time
 * that grows with the page alone, whatever is in it. Not a browser: what scripts would show is not there.
 */
export function htmlToMarkdown(html: string, base: string): { text: string; title?: string } {
  const writer = new MarkdownWriter();
  const page: Page = { base, links: [], skipping: undefined, title: undefined };
  for (const token of htmlTokens(html)) {
    if (token.kind === 'text') addText(writer, page, token.text);
    else if (page.skipping !== undefined) endSkipping(page, token);
    else if (token.isEnd) closeTag(writer, page, token.name);
    else openTag(writer, page, token);
  }
  const title = page.title?.replace(/\s+/g, ' ').trim();
  return { text: writer.finish(), ...(title ? { title } : {}) };
}

interface Page {
  base: string;
  /** Where the links that are open lead; empty for one that leads nowhere worth telling. */
  links: string[];
  /** The element whose content is left out, and how deep we are in elements of its name. */
  skipping: { name: string; depth: number } | undefined;
  title: string | undefined;
}

type Tag = Extract<HtmlToken, { kind: 'tag' }>;

const unseen: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'noscript',
    'template',
    'svg',
    'iframe',
    'object',
    'canvas',
    'audio',
    'video',
    'select',
  ],
  ...['textarea', 'title', 'button', 'dialog'],
]);

function addText(writer: MarkdownWriter, page: Page, text: string): void {
  if (page.skipping?.name === 'title') page.title ??= decodeEntities(text);
  if (page.skipping === undefined) writer.text(decodeEntities(text));
}

function endSkipping(page: Page, { name, isEnd, isVoid }: Tag): void {
  if (page.skipping?.name !== name || isVoid) return;
  page.skipping.depth += isEnd ? -1 : 1;
  if (page.skipping.depth === 0) page.skipping = undefined;
}

function openTag(writer: MarkdownWriter, page: Page, tag: Tag): void {
  const { name } = tag;
  if (unseen.has(name)) {
    if (!tag.isVoid) page.skipping = { name, depth: 1 };
    return;
  }
  const open = openings.get(name);
  if (open) open(writer, tag, page);
  else if (marks.has(name)) writer.mark(marks.get(name) ?? '');
  else if (blocks.has(name)) writer.block();
}

function closeTag(writer: MarkdownWriter, page: Page, name: string): void {
  const close = closings.get(name);
  if (close) close(writer, page);
  else if (marks.has(name)) writer.closeMark(marks.get(name) ?? '');
  else if (blocks.has(name)) writer.block();
}

const openings: ReadonlyMap<string, (writer: MarkdownWriter, tag: Tag, page: Page) => void> = new Map([
  ...[1, 2, 3, 4, 5, 6].map((level): [string, (writer: MarkdownWriter) => void] => [
    `h${level}`,
    (writer) => writer.block(`${'#'.repeat(level)} `),
  ]),
  ['br', (writer) => writer.lineBreak()],
  ['hr', (writer) => writer.rule()],
  ['ul', (writer) => writer.openList(false)],
  ['ol', (writer) => writer.openList(true)],
  ['li', (writer) => writer.item()],
  ['blockquote', (writer) => writer.openQuote()],
  ['pre', (writer) => writer.openCode()],
  ['tr', (writer) => writer.row()],
  ['td', (writer) => writer.cell(false)],
  ['th', (writer) => writer.cell(true)],
  ['dt', (writer) => writer.block()],
  ['dd', (writer) => writer.block(': ')],
  ['a', openLink],
  ['img', addImage],
]);

const closings: ReadonlyMap<string, (writer: MarkdownWriter, page: Page) => void> = new Map([
  ['ul', (writer) => writer.closeList()],
  ['ol', (writer) => writer.closeList()],
  ['blockquote', (writer) => writer.closeQuote()],
  ['pre', (writer) => writer.closeCode()],
  ['table', (writer) => writer.block()],
  ['tr', (writer) => writer.endRow()],
  ['a', closeLink],
]);

const maxTarget = 1000;

function openLink(writer: MarkdownWriter, tag: Tag, page: Page): void {
  const target = resolve(tag.attribute('href'), page.base);
  page.links.push(target);
  if (target) writer.mark('[');
}

function closeLink(writer: MarkdownWriter, page: Page): void {
  const target = page.links.pop();
  if (target) writer.closeMark(`](${target})`);
}

function addImage(writer: MarkdownWriter, tag: Tag, page: Page): void {
  const alternative = tag.attribute('alt')?.replace(/\s+/g, ' ').trim();
  const source = resolve(tag.attribute('src'), page.base);
  if (alternative) writer.mark(`![${alternative}](${source})`);
}

/** Absolute, so that it can be fetched. Within the page, scripts and embedded data lead nowhere. */
function resolve(href: string | undefined, base: string): string {
  if (!href || href.startsWith('#') || !URL.canParse(href, base)) return '';
  const target = new URL(href, base);
  if (!/^(https?|mailto):$/.test(target.protocol) || target.href.length > maxTarget) return '';
  return target.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

const marks: ReadonlyMap<string, string> = new Map([
  ['strong', '**'],
  ['b', '**'],
  ['em', '*'],
  ['i', '*'],
  ['del', '~~'],
  ['s', '~~'],
  ['code', '`'],
  ['kbd', '`'],
  ['samp', '`'],
]);

const blocks: ReadonlySet<string> = new Set([
  ...[
    'p',
    'div',
    'section',
    'article',
    'header',
    'footer',
    'main',
    'aside',
    'nav',
    'figure',
    'figcaption',
    'body',
  ],
  ...[
    'form',
    'fieldset',
    'legend',
    'address',
    'details',
    'summary',
    'dl',
    'table',
    'caption',
    'center',
    'hgroup',
  ],
]);
