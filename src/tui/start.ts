import type { TuiRequest } from './request.ts';
import { EarlyFrame, welcomeFacts } from './terminal/early.ts';
import { endInBackground, onSignals } from './terminal/signals.ts';
import { Terminal, type TerminalTraits } from './terminal/terminal.ts';
import { detectTheme } from './text/detect-theme.ts';

/** Starts the terminal app: the prompt appears at once, the rest loads after it. */
export async function startScreen(request: TuiRequest): Promise<number> {
  const { environment, home, session } = request;
  const terminal = new Terminal(request.streams, request.clock, describeTerminal(request));
  // Until there is a session to close, quitting only has to end the program.
  const left = Promise.withResolvers<number>();
  const unhook = onSignals(left.resolve);
  let code = 1;
  try {
    const theme = detectTheme(environment, true);
    const isShort = session.resume !== undefined || session.teamMember !== undefined;
    const welcome = welcomeFacts(session.cwd ?? '.', isShort);
    const place = { welcome, home, theme, plain: request.screenReader === true };
    const early = new EarlyFrame(terminal, place, () => left.resolve(130));
    terminal.onReport(({ kind }) => {
      if (kind === 'background') early.useTheme(detectTheme(environment, true, terminal.background));
    });
    code = await Promise.race([begin(request, terminal, early, unhook), left.promise]);
  } finally {
    await terminal.settle();
    terminal.close();
    unhook();
  }
  endInBackground(code);
  return code;
}

/** The Linux console prints what it does not understand. */
function describeTerminal({ environment, screenReader }: TuiRequest): TerminalTraits {
  const { TERM, TMUX, XTERM_VERSION } = environment;
  const isDumb = TERM === 'dumb';
  return {
    isDumb,
    isAsked: !isDumb && TERM !== 'linux' && screenReader !== true,
    modifiesKeys: TMUX !== undefined || XTERM_VERSION !== undefined,
  };
}

async function begin(
  request: TuiRequest,
  terminal: Terminal,
  early: EarlyFrame,
  unhook: () => void,
): Promise<number> {
  await breath();
  const question = request.session.trust ? undefined : await request.trustQuestion();
  if (question) {
    early.erase();
    const { askTrust } = await import('./trust.ts');
    if ((await askTrust(question, terminal, request.clock)) === 'leave') return 130;
    early.show();
  }
  // One by one, so text typed while they load shows between them.
  await breath();
  await import('../session/open.ts');
  await breath();
  const { runTui } = await import('./run-tui.ts');
  return runTui(request, terminal, early, unhook);
}

/** Lets pending keys be handled. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
