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

export interface EarlyFrame {
  /** Takes it away again, for the real one. */
  erase(): void;
}

export function greeting(drawing: Drawing): string[] {
  return [styled(drawing, 'dim', `Cadre ${version} · /help shows keys and commands`)];
}

/**
 * The prompt as it will be, drawn before anything else is loaded: a person can read and type while the session is opened.
 * What they type is kept.
 */
export function drawEarly(
  terminal: Terminal,
  theme: Theme,
  place: { cwd: string; home: string },
): EarlyFrame {
  const { columns, rows } = terminal;
  const drawing: Drawing = { width: Math.max(20, columns), theme, home: place.home, now: 0, plain: false };
  const view = emptyView({ cwd: place.cwd, branch: branchAround(place.cwd) });
  const drawn = frame({ view, written: noneWritten, editor: emptyEditor(), columns, rows, now: 0 }, drawing);
  const lines = [...greeting(drawing), ...drawn.lines];
  const at = greeting(drawing).length + (drawn.cursor?.y ?? 0);
  const up = lines.length - 1 - at;
  terminal.write(`${lines.join('\r\n')}\r\u001b[${up}A\u001b[${(drawn.cursor?.x ?? 0) + 1}G`);
  // Line by line: some terminals keep a whole screen that is cleared, as if it had been read.
  const wipe = `\u001b[2K${'\u001b[B\u001b[2K'.repeat(lines.length - 1)}\u001b[${lines.length - 1}A`;
  return { erase: () => terminal.write(`\r${at > 0 ? `\u001b[${at}A` : ''}${wipe}`) };
}
