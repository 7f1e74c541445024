import type { Drawn } from '../screen/prompt-lines.ts';

/** Finished text that scrolls with the terminal, and below it a frame that is redrawn in place. */
export interface Screen {
  /** Shows the frame, below finished text that is new. All of it is one write. */
  draw(drawn: Drawn, text?: string): void;
  /** Erases the frame; the next one begins where it began. */
  clear(): void;
  /** The frame is no longer where it was: the next one is drawn afresh, after these controls and lines. */
  restart(before: string): void;
  /** Leaves the frame as it is, with the cursor below it. */
  close(): void;
}

/** Line by line: some terminals add a whole cleared screen to the scrollback. */
export function clearScreen(rows: number): string {
  return `\u001b[H${'\u001b[2K\u001b[B'.repeat(rows)}\u001b[H`;
}
