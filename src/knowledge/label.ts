import { visibleLine } from '../lib/text.ts';

/** A text with where it comes from around it. It cannot end its own block, nor pretend to be a notice of ours. */
export function labelled(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${quote(value)}`);
  return `<${tag}${written.join('')}>\n${escapeLabels(text)}\n</${tag}>`;
}

/** Every tag that says who speaks. */
const labels = [
  ...['memory', 'skill', 'command', 'file', 'directory', 'transcript', 'git-status', 'shell'],
  ...['system-reminder', 'task-notification', 'teammate-message', 'cadre-fork'],
].join('|');

const labelPattern = new RegExp(`<(?=/?\\s*(?:${labels})\\b)`, 'gi');

export function escapeLabels(text: string): string {
  return text.replace(labelPattern, '&lt;');
}

function quote(value: string): string {
  return JSON.stringify(visibleLine(value, 500)).replaceAll('<', '&lt;');
}
