import { drawEarly } from './early.ts';
import type { TuiRequest } from './request.ts';
import { Terminal } from './terminal.ts';
import { detectTheme } from './text/index.ts';

/** Starts the terminal app: the prompt is there at once, the rest comes behind it. */
export async function startScreen(request: TuiRequest): Promise<number> {
  const terminal = new Terminal(request.streams);
  const { environment, home, session } = request;
  const early = request.screenReader
    ? nothingDrawn
    : drawEarly(terminal, detectTheme(environment, true), { cwd: session.cwd ?? '.', home });
  const question = session.trust ? undefined : await request.trustQuestion();
  if (question) {
    early.erase();
    const { askTrust } = await import('./trust.ts');
    if ((await askTrust(question, terminal, request.clock)) === 'leave') {
      terminal.restore();
      return 130;
    }
  }
  const { runTui } = await import('./run-tui.tsx');
  return runTui(request, terminal, question ? nothingDrawn : early);
}

const nothingDrawn = { erase: () => {} };
