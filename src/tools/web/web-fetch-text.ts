import { writeAtomic } from '../../lib/files/atomic.ts';
import type { ToolContext } from '../../protocol/tool.ts';

const maxShown = 50_000;

/** The beginning of long text, and where all of it is: a page is read from its top. */
export function keepLongText(text: string, context: ToolContext): { text: string; note?: string } {
  if (text.length <= maxShown) return { text };
  const newline = text.lastIndexOf('\n', maxShown);
  const isPair = /[\ud800-\udbff]/.test(text[maxShown - 1] ?? '');
  const end = newline > maxShown / 2 ? newline : maxShown - (isPair ? 1 : 0);
  const shown = text.slice(0, end);
  const path = context.outputs.pathFor(`${context.toolUseId}.txt`);
  const written = writeAtomic(path, text);
  const where = written.ok
    ? `The whole text is in ${path}: continue with Read, offset ${shown.split('\n').length + 1}.`
    : `The rest could not be saved. ${written.problem.message}`;
  return { text: shown, note: `[The first ${end} of ${text.length} characters. ${where}]` };
}
