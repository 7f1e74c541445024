import type { Drawn } from '../screen/prompt-lines.ts';
import type { Terminal } from '../terminal.ts';
import { wrap } from '../text/wrap.ts';
import type { Screen } from './screen.ts';

/** For a screen reader: a frame is written whole, and the cursor stays visible behind its last character. */
export class SpokenScreen implements Screen {
  #rows: readonly string[] = [];

  constructor(private readonly terminal: Terminal) {}

  draw({ lines }: Drawn, text = ''): void {
    const { columns } = this.terminal;
    const rows = lines.flatMap((line) => wrap(line, columns, { hard: true }));
    const next = rows.join('\r\n');
    if (text === '' && next === this.#rows.join('\r\n')) return;
    const above = text === '' ? '' : `${text.replaceAll('\n', '\r\n')}\r\n`;
    this.terminal.write(this.#erase() + above + next);
    this.#rows = rows;
  }

  clear(): void {
    this.terminal.write(this.#erase());
    this.#rows = [];
  }

  restart(before: string): void {
    this.terminal.write(before);
    this.#rows = [];
  }

  close(): void {
    this.terminal.write('\r\n');
    this.#rows = [];
  }

  #erase(): string {
    return this.#rows.length === 0 ? '' : `${this.#rows.map(() => '\u001b[2K').join('\u001b[A')}\r`;
  }
}
