import { drawEarly } from './early.ts';
import type { TuiRequest } from './request.ts';
import { Terminal } from './terminal.ts';
import { detectTheme } from './text/index.ts';

/** Starts the terminal app: the prompt is there at once, the rest comes behind it. */
export async function startScreen(request: TuiRequest): Promise<number> {
  const terminal = new Terminal(request.streams);
  const { environment, home, session } = request;
  const early = request.screenReader
    ? { erase: () => {} }
    : drawEarly(terminal, detectTheme(environment, true), { cwd: session.cwd ?? '.', home });
  const { runTui } = await import('./run-tui.tsx');
  return runTui(request, terminal, early);
}
