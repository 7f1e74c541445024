import { writeAtomic } from '../lib/atomic.ts';
import type { ToolContext } from '../protocol/tool.ts';

const mostShown = 50_000;

/** The beginning of a long text, and where the whole of it is: a page is read from its top. */
export function keepLongText(text: string, context: ToolContext): { text: string; note?: string } {
  if (text.length <= mostShown) return { text };
  const newline = text.lastIndexOf('\n', mostShown);
  const isPair = /[\ud800-\udbff]/.test(text[mostShown - 1] ?? '');
  const end = newline > mostShown / 2 ? newline : mostShown - (isPair ? 1 : 0);
  const shown = text.slice(0, end);
  const path = context.outputs.pathFor(`${context.toolUseId}.txt`);
  const written = writeAtomic(path, text);
  const where = written.ok
    ? `The whole text is in ${path}: go on with Read, offset ${shown.split('\n').length + 1}.`
    : `The rest could not be kept. ${written.problem.message}`;
  return { text: shown, note: `[The first ${end} of ${text.length} characters. ${where}]` };
}
