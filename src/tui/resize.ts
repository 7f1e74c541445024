import type { App } from './app.ts';
import type { Terminal } from './terminal.ts';

/** A window that is dragged has many sizes one after another. */
const settledMs = 80;

/**
 * Another size: the terminal has broken the lines that were there in its own way, so that nothing on the screen is where
 * it was. Nothing is drawn until the size stays; then the screen is cleared and the end of the conversation written anew.
 * What has scrolled away stays as it is. `forget`: nothing that moves is on the screen any more.
 */
export function watchSize(app: App, terminal: Terminal, forget: () => void): { close(): void } {
  let cancel: (() => void) | undefined;
  let isStale = false;
  const ground = new Ground(app);
  const settle = () => {
    cancel = undefined;
    isStale = true;
    app.uncover();
  };
  // A panel may still be in front: then it is drawn anew when that is closed.
  app.onUncovered = () => {
    if (!isStale) return;
    isStale = false;
    forget();
    terminal.write(ground.redraw());
  };
  const changed = () => {
    const { columns, rows } = terminal;
    const { state, look } = app;
    if (columns === state.columns && rows === state.rows) return;
    if (look.plain) return app.change({ columns, rows });
    if (cancel) cancel();
    else app.cover();
    cancel = app.clock.after(settledMs, settle);
    app.resize(columns, rows);
    if (state.panel) app.change({});
  };
  terminal.output.on('resize', changed);
  return {
    close() {
      terminal.output.off('resize', changed);
      if (!cancel) return;
      cancel();
      settle();
    },
  };
}

/**
 * Knows whether all that is on the screen is ours. What was there before the program began is not taken away: it is moved
 * up, out of sight, together with a copy of what is written anew; from then on the screen is ours.
 */
class Ground {
  #rows: number;
  /** So many rows above the prompt are ours: those that were written, less those that were cleared. */
  #ours = 0;
  #counted = 0;
  /** A screen of so many rows, or less, is ours alone. */
  #clear = 0;

  constructor(private readonly app: App) {
    this.#rows = app.state.rows;
  }

  /** Clears the screen and writes the end of the conversation. */
  redraw(): string {
    const { rowsWritten, room } = this.app;
    const { rows } = this.app.state;
    this.#ours += rowsWritten - this.#counted;
    this.#counted = rowsWritten;
    // A terminal that loses rows may drop some of what moves, below the cursor, and keep as many more above it.
    const lines = this.app.redrawn(rows < this.#rows ? rows - 1 : room);
    this.#rows = rows;
    const isOurs = this.#ours >= room || rows <= this.#clear;
    this.#clear = Math.max(rows, this.#clear);
    this.#ours = Math.max(0, this.#ours - (isOurs ? room : 0)) + lines.length;
    // Line by line: some terminals keep a whole screen that is cleared, as if it had been read.
    const clear = isOurs ? `\u001b[H${'\u001b[2K\u001b[B'.repeat(rows)}` : `\r${'\n'.repeat(rows)}`;
    return `${clear}\u001b[H${lines.map((line) => `${line}\r\n`).join('')}`;
  }
}
