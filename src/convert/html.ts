import { NodeHtmlMarkdown, type TranslatorConfigObject } from 'node-html-markdown';
import type { HtmlText } from './request.ts';

/** A page as Markdown. Not a browser: content that scripts would add is missing. */
export function htmlToMarkdown(html: string, base: string): HtmlText {
  const converter = new NodeHtmlMarkdown(
    { bulletMarker: '-', emDelimiter: '*', maxConsecutiveNewlines: 2, ignore: unseen },
    createLinkTranslator(base),
  );
  const text = converter
    .translate(html)
    .replace(/[ \t]+$/gm, '')
    .trim();
  return { text, title: findTitle(html) };
}

const unseen = [
  ...['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'canvas', 'audio', 'video'],
  ...['select', 'textarea', 'title', 'button', 'dialog'],
];

const maxTarget = 1000;

function createLinkTranslator(base: string): TranslatorConfigObject {
  return {
    a: ({ node }) => {
      const target = resolveTarget(node.getAttribute('href'), base);
      return target ? { postprocess: ({ content }) => linkTo(content, target) } : {};
    },
    img: ({ node }) => {
      const alternative = node.getAttribute('alt')?.replace(/\s+/g, ' ').trim();
      if (!alternative) return { ignore: true };
      return {
        content: `![${alternative}](${resolveTarget(node.getAttribute('src'), base)})`,
        recurse: false,
        noEscape: true,
      };
    },
  };
}

function linkTo(content: string, target: string): string {
  const text = content.replace(/\s*\n\s*/g, ' ').trim();
  return text ? `[${text}](${target})` : '';
}

/** Absolute, so that it can be fetched; empty for targets within the page, scripts and embedded data. */
function resolveTarget(href: string | null | undefined, base: string): string {
  if (!href || href.startsWith('#') || !URL.canParse(href, base)) return '';
  const target = new URL(href, base);
  if (!/^(https?|mailto):$/.test(target.protocol) || target.href.length > maxTarget) return '';
  return target.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

function findTitle(html: string): string | undefined {
  const start = html.search(/<title[\s>]/i);
  if (start < 0) return undefined;
  const end = html.indexOf('</', start);
  const inner = html.slice(html.indexOf('>', start) + 1, end < 0 ? start + 1000 : end);
  const title = NodeHtmlMarkdown.translate(`<p>${inner.slice(0, 1000)}</p>`);
  return title.replace(/\s+/g, ' ').trim() || undefined;
}
