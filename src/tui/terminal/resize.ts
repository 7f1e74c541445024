import type { App } from '../app.ts';
import { clearScreen, type Screen } from '../draw/screen.ts';
import type { Terminal } from './terminal.ts';

/** Dragging a window produces many sizes in a row. */
const settledMs = 80;

export interface SizeWatch {
  /** Writes the conversation on the screen again: it looks different now. */
  redraw(): void;
  close(): void;
}

/**
 * A resize: the terminal has rewrapped the existing lines its own way, so nothing on the screen is where it was. Nothing is
 * drawn until the size is stable; then the screen is cleared and the end of the conversation written again.
 * Lines that have scrolled away stay as they are.
 */
export function watchSize(app: App, terminal: Terminal, screen: Screen): SizeWatch {
  let cancel: (() => void) | undefined;
  let isStale = false;
  const ground = new Ground(app);
  const settle = () => {
    cancel = undefined;
    isStale = true;
    app.uncover();
  };
  // A panel may still be in front: then it is drawn again when that is closed.
  app.onUncovered = () => {
    if (!isStale) return;
    isStale = false;
    screen.restart(ground.redraw());
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
  const unwatch = terminal.onResize(changed);
  return {
    redraw() {
      if (app.look.plain || cancel) return;
      app.cover();
      settle();
    },
    close() {
      unwatch();
      if (!cancel) return;
      cancel();
      settle();
    },
  };
}

/**
 * Tracks whether everything on the screen is ours. Lines from before the program started are not erased: they are moved
 * up, out of sight, together with a copy of the rewritten lines; from then on the screen is ours.
 */
class Ground {
  #rows: number;
  /** The rows above the prompt that are ours: those written, less those cleared. */
  #ours = 0;
  #counted = 0;
  /** A screen with this many rows or fewer is ours alone. */
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
    // A terminal that loses rows may drop part of the moving lines below the cursor and keep as many more above it.
    const lines = this.app.redrawn(rows < this.#rows ? rows - 1 : room);
    this.#rows = rows;
    const isOurs = this.#ours >= room || rows <= this.#clear;
    this.#clear = Math.max(rows, this.#clear);
    this.#ours = Math.max(0, this.#ours - (isOurs ? room : 0)) + lines.length;
    const clear = isOurs ? clearScreen(rows) : `\r${'\n'.repeat(rows)}\u001b[H`;
    return `${clear}${lines.map((line) => `${line}\r\n`).join('')}`;
  }
}
