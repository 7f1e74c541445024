import { version } from '../lib/version.ts';
import { emptyView } from '../view/index.ts';
import { branchAround } from './branch.ts';
import type { Drawing } from './drawing.ts';
import { emptyEditor } from './editor/index.ts';
import { noneWritten } from './printer.ts';
import { frame } from './screen/frame.ts';
import { styled } from './screen/layout.ts';
import type { Terminal } from './terminal.ts';
import type { Theme } from './text/index.ts';

export function greeting(drawing: Drawing): string[] {
  return [styled(drawing, 'dim', `Cadre ${version} · /help shows keys and commands`)];
}

export interface EarlyPlace {
  cwd: string;
  home: string;
  theme: Theme;
  plain: boolean;
}

/**
 * The prompt as it will be, drawn before anything else is loaded: a person can read and type while the session is opened.
 * What they type is kept.
 */
export class EarlyFrame {
  readonly #drawing: Drawing;
  #erase = '';

  constructor(
    private readonly terminal: Terminal,
    private readonly place: EarlyPlace,
  ) {
    const { theme, home, plain } = place;
    this.#drawing = { width: Math.max(20, terminal.columns), theme, home, now: 0, plain };
    this.write(greeting(this.#drawing).join('\n'));
  }

  /** Writes for good, above the prompt. */
  write(text: string): void {
    this.erase();
    this.terminal.write(`${text.replaceAll('\n', '\r\n')}\r\n`);
    if (!this.place.plain) this.#draw();
  }

  erase(): void {
    this.terminal.write(this.#erase);
    this.#erase = '';
  }

  #draw(): void {
    const { columns, rows } = this.terminal;
    const { cwd } = this.place;
    const view = emptyView({ cwd, branch: branchAround(cwd) });
    const state = { view, written: noneWritten, editor: emptyEditor(), columns, rows, now: 0 };
    const { lines, cursor = { x: 0, y: 0 } } = frame(state, this.#drawing);
    const up = lines.length - 1 - cursor.y;
    this.terminal.write(`${lines.join('\r\n')}\r\u001b[${up}A\u001b[${cursor.x + 1}G`);
    // Line by line: some terminals keep a whole screen that is cleared, as if it had been read.
    const wipe = `\u001b[2K${'\u001b[B\u001b[2K'.repeat(lines.length - 1)}\u001b[${lines.length - 1}A`;
    this.#erase = `\r${cursor.y > 0 ? `\u001b[${cursor.y}A` : ''}${wipe}`;
  }
}
