import { escapeHarnessTags, harnessTags, type LabelTag } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';

/** Text with its source around it. It cannot end its own block, or pretend to be a notice of ours. */
export function labelled(tag: LabelTag, attributes: Readonly<Record<string, string>>, text: string): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${quote(value)}`);
  return `<${tag}${written.join('')}>\n${escapeHarnessTags(text)}\n</${tag}>`;
}

/** The opposite of `labelled`; undefined if the text is not one such block. */
export function readLabelled(
  tag: LabelTag,
  block: string,
): { attributes: Record<string, string>; text: string } | undefined {
  const [whole, written = ''] =
    new RegExp(`^<${tag}((?: \\w+="(?:[^"\\\\]|\\\\.)*")*)>\\n`).exec(block) ?? [];
  const end = `\n</${tag}>`;
  if (whole === undefined || !block.endsWith(end)) return undefined;
  const pairs = [...written.matchAll(/ (\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    attributes: Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unquote(value)])),
    text: block.slice(whole.length, -end.length).replace(escapedPattern, '<'),
  };
}

const escapedPattern = new RegExp(`&lt;(?=/?\\s*(?:${harnessTags.join('|')})\\b)`, 'gi');

function quote(value: string): string {
  return JSON.stringify(visibleLine(value, 500)).replaceAll('<', '&lt;');
}

/** Labels hold one visible line, so only quotes and backslashes were escaped. */
function unquote(value: string): string {
  return value.replace(/\\(.)/g, '$1').replaceAll('&lt;', '<');
}
