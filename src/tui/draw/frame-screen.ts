import { minWidth } from '../drawing.ts';
import type { Cursor, Drawn } from '../screen/prompt-lines.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { truncate } from '../text/wrap.ts';
import type { Screen } from './screen.ts';

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const eraseLine = '\u001b[K';
/** The terminal shows everything between the two at once. */
const beginUpdate = '\u001b[?2026h';
const endUpdate = '\u001b[?2026l';
/** A line that the terminal takes for wider than it is must not push the others down. */
const cutLines = '\u001b[?7l';
const wrapLines = '\u001b[?7h';

/**
 * Writes only the lines that changed. A frame has one empty row below it, if there is room, and never more rows than the
 * terminal: its first row is always on the screen. Rows are erased one by one: some terminals add a whole cleared screen to
 * the scrollback.
 */
export class FrameScreen implements Screen {
  /** The lines on the terminal. */
  #lines: readonly string[] = [];
  /** The rows of the frame on the terminal, with the one below it. */
  #rows = 1;
  /** The row that the terminal's cursor is in, from the frame's first. */
  #row = 0;
  #cursor: Cursor | undefined;
  #before = '';

  constructor(private readonly terminal: Terminal) {}

  draw(drawn: Drawn, text = ''): void {
    const { columns, rows } = this.terminal;
    const { lines, cursor } = fitFrame(drawn, columns, rows);
    const before = this.#before + this.#writeAbove(text);
    const changed = this.#writeLines(lines);
    if (before + changed === '' && cursor?.x === this.#cursor?.x && cursor?.y === this.#cursor?.y) return;
    const frame = changed === '' ? '' : `${cutLines}${changed}${wrapLines}`;
    const place = cursor
      ? `${this.#moveTo(cursor.y)}\u001b[${cursor.x + 1}G${showCursor}`
      : this.#moveTo(this.#rows - 1);
    this.#before = '';
    this.#cursor = cursor;
    this.terminal.write(`${beginUpdate}${hideCursor}${before}${frame}${place}${endUpdate}`);
  }

  clear(): void {
    this.terminal.write(this.#erase());
  }

  restart(before: string): void {
    // What is left of the frame around the cursor would otherwise stay below the new one.
    this.#before = `${this.#moveTo(0)}\u001b[J${before}`;
    this.#forget();
  }

  close(): void {
    this.terminal.write(`${this.#moveTo(this.#lines.length)}${showCursor}`);
    this.#forget();
  }

  /** Finished text takes the place of the frame, which moves down. */
  #writeAbove(text: string): string {
    return text === '' ? '' : `${this.#erase()}${text.replaceAll('\n', '\r\n')}\r\n`;
  }

  /** The lines that differ from those on the terminal. */
  #writeLines(lines: readonly string[]): string {
    const { columns, rows } = this.terminal;
    const before = this.#lines;
    let changed = '';
    for (const [row, line] of lines.entries())
      if (line !== before[row]) changed += this.#moveTo(row) + eraseLine + fitLine(line, columns);
    for (let row = lines.length; row < before.length; row++) changed += this.#moveTo(row) + eraseLine;
    const count = Math.min(lines.length + 1, rows);
    if (count > this.#rows) changed += this.#moveTo(count - 1) + eraseLine;
    this.#rows = count;
    this.#lines = lines;
    return changed;
  }

  /** To the start of a row. A line feed makes a row that does not exist yet: at the bottom the screen scrolls. */
  #moveTo(row: number): string {
    const reached = Math.min(row, this.#rows - 1);
    const away = reached - this.#row;
    const moved = away === 0 ? '' : `\u001b[${Math.abs(away)}${away < 0 ? 'A' : 'B'}`;
    this.#row = row;
    this.#rows = Math.max(this.#rows, row + 1);
    return moved + (row > reached ? '\r\n'.repeat(row - reached) : '\r');
  }

  #erase(): string {
    let erased = '';
    for (let row = this.#lines.length - 1; row >= 0; row--) erased += this.#moveTo(row) + eraseLine;
    erased += this.#moveTo(0);
    this.#forget();
    return erased;
  }

  #forget(): void {
    this.#lines = [];
    this.#rows = 1;
    this.#row = 0;
    this.#cursor = undefined;
  }
}

/** The end of a frame that is too tall. */
function fitFrame({ lines, cursor }: Drawn, columns: number, rows: number): Drawn {
  const over = Math.max(0, lines.length - rows);
  const isSeen = cursor !== undefined && cursor.y >= over;
  return {
    lines: over === 0 ? lines : lines.slice(over),
    cursor: isSeen ? { x: Math.min(cursor.x, columns - 1), y: cursor.y - over } : undefined,
  };
}

/** A line is measured only where it can be too wide: measuring takes a tenth of a second the first time. */
function fitLine(line: string, columns: number): string {
  return columns < minWidth ? truncate(line, columns) : line;
}
