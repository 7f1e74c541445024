import type { Cursor, Drawn } from '../screen/prompt-lines.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrap } from '../text/wrap.ts';
import type { Screen } from './screen.ts';

/**
 * For a screen reader: a frame is written whole, and the cursor stays visible. It is where typed text goes, which is what
 * the reader says; without such a place it is behind the last character.
 */
export class SpokenScreen implements Screen {
  #rows: readonly string[] = [];
  /** Rows from the cursor to the frame's last. */
  #below = 0;
  #cursor: Cursor | undefined;

  constructor(private readonly terminal: Terminal) {}

  draw({ lines, cursor: wanted }: Drawn, text = ''): void {
    const { columns } = this.terminal;
    const wrapped = lines.map((line) => wrap(line, columns, { hard: true }));
    const rows = wrapped.flat();
    const above = wrapped.slice(0, wanted?.y).flat().length;
    const cursor = wanted && { x: Math.min(wanted.x, columns - 1), y: above };
    const next = rows.join('\r\n');
    if (text === '' && next === this.#rows.join('\r\n')) return void this.#place(cursor);
    const before = text === '' ? '' : `${text.replaceAll('\n', '\r\n')}\r\n`;
    const erased = this.#erase();
    this.#rows = rows;
    this.#forgetPlace();
    this.#place(cursor, erased + before + next);
  }

  clear(): void {
    this.terminal.write(this.#erase());
    this.#forget();
  }

  restart(before: string): void {
    this.terminal.write(this.#goToEnd() + before);
    this.#forget();
  }

  close(): void {
    this.terminal.write(`${this.#goToEnd()}\r\n`);
    this.#forget();
  }

  /** One write, of what is new and of the way to the cursor's place. Nothing where it is there already. */
  #place(cursor: Cursor | undefined, written = ''): void {
    const isThere = cursor?.x === this.#cursor?.x && cursor?.y === this.#cursor?.y;
    const way = isThere || !cursor ? '' : this.#moveTo(cursor);
    if (written + way !== '') this.terminal.write(written + way);
    this.#cursor = cursor;
  }

  #moveTo({ x, y }: Cursor): string {
    const below = Math.max(0, this.#rows.length - 1 - y);
    const away = this.#below - below;
    this.#below = below;
    const vertical = away === 0 ? '' : `\u001b[${Math.abs(away)}${away < 0 ? 'A' : 'B'}`;
    return `${vertical}\u001b[${x + 1}G`;
  }

  /** Into the last row. */
  #goToEnd(): string {
    return this.#below === 0 ? '' : `\u001b[${this.#below}B`;
  }

  #erase(): string {
    if (this.#rows.length === 0) return '';
    return `${this.#goToEnd()}${this.#rows.map(() => '\u001b[2K').join('\u001b[A')}\r`;
  }

  #forget(): void {
    this.#rows = [];
    this.#forgetPlace();
  }

  #forgetPlace(): void {
    this.#below = 0;
    this.#cursor = undefined;
  }
}
