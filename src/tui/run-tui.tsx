import { render } from 'ink';
import type { Result } from '../lib/result.ts';
import { openSession } from '../session/open.ts';
import type { SessionOptions } from '../session/options.ts';
import type { Session } from '../session/session.ts';
import { App, type Look } from './app.ts';
import { Questions } from './asking.ts';
import { builtInCommands } from './commands/index.ts';
import { Completer } from './completer.ts';
import { Desk } from './desk.ts';
import { type EarlyFrame, greeting } from './early.ts';
import { editIn } from './edit-text.ts';
import { editorWith } from './editor/index.ts';
import { openFront } from './front.tsx';
import { Keys } from './keys.ts';
import { farewell } from './leave.ts';
import { lookOf } from './look.ts';
import { Notifier } from './notify.ts';
import type { TuiRequest } from './request.ts';
import { watchSize } from './resize.ts';
import { Main, type Suspend } from './screens.tsx';
import { onSignals } from './signals.ts';
import { completionSources } from './sources.ts';
import { submit } from './submit.ts';
import type { Terminal } from './terminal.ts';
import { loadHighlighter } from './text/index.ts';

/** The terminal app: opens the session, shows it until the person leaves, and gives the terminal back. */
export async function runTui(request: TuiRequest, terminal: Terminal, early: EarlyFrame): Promise<number> {
  const open = (more: Partial<SessionOptions>): Promise<Result<Session>> =>
    openSession({ ...request.session, attended: true, interactive: true, streamAgents: true, ...more });
  const opened = await open({});
  if (!opened.ok) {
    early.erase();
    terminal.restore();
    return request.complain(opened.problem);
  }
  const look = lookOf(request, opened.value.info().terminal);
  const { app, desk, keys, suspended } = furnish(request, terminal, opened.value, look, open);
  app.say(greeting);
  desk.begin();
  early.erase();
  const screenKeys = terminal.openKeys();
  const main = render(<Main app={app} keys={keys} ready={suspended.resolve} />, {
    stdin: screenKeys.stream,
    stdout: terminal.output,
    exitOnCtrlC: false,
    interactive: true,
    incrementalRendering: true,
    isScreenReaderEnabled: look.plain,
    maxFps: 30,
  });
  const front = openFront({ app, keys, terminal, suspend: suspended.promise, plain: look.plain });
  const size = watchSize(app, terminal, () => main.clear());
  const unhook = onSignals((code) => desk.leave(code));
  terminal.onGone(() => desk.leave(129));
  void loadHighlighter().then((highlighter) => app.useHighlighter(highlighter));
  if (request.prompt !== undefined) {
    app.change({ editor: editorWith(request.prompt) });
    await submit(desk, []);
  }
  const code = await desk.left;
  size.close();
  await front.close();
  app.flush();
  const words = farewell(desk.session, app.state.view);
  app.close();
  main.unmount();
  screenKeys.close();
  terminal.restore();
  terminal.write(words);
  const closed = await desk.session.close();
  unhook();
  return closed.ok ? code : request.complain(closed.problem);
}

/** All that stands around the session, wired to each other. */
function furnish(
  request: TuiRequest,
  terminal: Terminal,
  session: Session,
  look: Look,
  open: (more: Partial<SessionOptions>) => Promise<Result<Session>>,
) {
  const { clock, environment } = request;
  const suspended = Promise.withResolvers<Suspend>();
  const app = new App(clock, look, { columns: terminal.columns, rows: terminal.rows });
  const edit = (text: string) => editIn({ text, environment, terminal, suspend: suspended.promise });
  const desk = new Desk(app, session, {
    ...{ open, edit, environment },
    report: request.report,
    history: request.history,
  });
  const notifier = new Notifier(terminal, session.info().terminal.notify ?? 'bell');
  const questions = new Questions(app, {
    answer: (questionId, answer) => void desk.send({ type: 'answer', questionId, answer, by: 'person' }),
    edit,
    call: (entry) => notifier.question(entry),
  });
  app.onEvents = (before) => {
    questions.update();
    notifier.changed(before, app.state.view);
  };
  const commands = builtInCommands();
  const completer = new Completer(app, completionSources(desk, commands, request));
  return { app, desk, suspended, keys: new Keys(desk, questions, () => commands, completer) };
}
