import { countCells } from './cells.ts';
import type { LineTerminal, Typed } from './io.ts';

/** Rows reserved for the question below a page. */
const besides = 4;

/** The last page, to be shown with the question, or the input that ended the reading. */
export type PageReading = { kind: 'last'; page: string } | { kind: 'ended'; typed: Typed };

/**
 * Shows text page by page, so that its last line is on the screen only after all others were. Return continues; a no,
 * an interrupt and the end of input are accepted at once, and nothing else is.
 */
export async function readWhole(
  terminal: LineTerminal,
  text: string,
  signal: AbortSignal,
): Promise<PageReading> {
  const pages = splitPages(text, terminal);
  const countLeft = (from: number) => pages.slice(from).reduce((sum, page) => sum + page.length, 0);
  for (const [index, page] of pages.slice(0, -1).entries()) {
    const left = countLeft(index + 1);
    const how = `${left} more ${left === 1 ? 'line' : 'lines'}: return to continue, n to deny\n> `;
    for (let prompt = `${page.join('\n')}\n${how}`; ; prompt = `There is more to read. ${how}`) {
      const typed = await terminal.readLine(prompt, { fresh: true, signal });
      if (typed.kind !== 'line' || /^\s*no?(?:\s|$)/i.test(typed.text)) return { kind: 'ended', typed };
      if (typed.text.trim() === '') break;
    }
  }
  return { kind: 'last', page: (pages.at(-1) ?? []).join('\n') };
}

/** Lines in pages as tall as the terminal. A line that is taller than that is cut into several. */
function splitPages(text: string, terminal: LineTerminal): string[][] {
  const room = Math.max(1, terminal.rows() - besides);
  const columns = Math.max(1, terminal.columns());
  const pages: string[][] = [[]];
  let used = 0;
  for (const line of text.split('\n').flatMap((one) => cutLine(one, columns))) {
    if (used >= room) {
      pages.push([]);
      used = 0;
    }
    pages.at(-1)?.push(line);
    used++;
  }
  return pages;
}

function cutLine(line: string, columns: number): string[] {
  if (line.length * 2 <= columns || countCells(line) <= columns) return [line];
  const rows = [''];
  let used = 0;
  for (const character of line) {
    const cells = countCells(character);
    if (used + cells > columns) {
      rows.push('');
      used = 0;
    }
    rows.push(`${rows.pop()}${character}`);
    used += cells;
  }
  return rows;
}
