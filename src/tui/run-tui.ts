import { canBeStopped } from '../lib/processes/job-control.ts';
import type { Result } from '../lib/result.ts';
import type { PermissionMode } from '../protocol/index.ts';
import { AttachedSession } from '../session/attached/attached-session.ts';
import type { ShownSession } from '../session/attached/shown-session.ts';
import { openSession } from '../session/open.ts';
import type { SessionOptions } from '../session/options.ts';
import type { Session } from '../session/session.ts';
import { findHome, lookAround } from '../session/surroundings.ts';
import { describeUnlanded } from '../session/worktrees/unlanded.ts';
import { App } from './app.ts';
import { Questions } from './asking.ts';
import type { SlashCommand } from './commands/command.ts';
import { attachedCommands, builtInCommands } from './commands/index.ts';
import { pickSession } from './commands/resume.ts';
import { skipCommand } from './commands/skip.ts';
import { Completer } from './completer.ts';
import { divertConsole } from './console.ts';
import { Desk, type DeskWorld } from './desk.ts';
import { Display } from './display.ts';
import type { Drawing } from './drawing.ts';
import { buildEarlierView, findEarlierPath } from './earlier.ts';
import { chooseEditor, editText, lendTerminal } from './edit-text.ts';
import { createEditor, isEmpty } from './editor/index.ts';
import { openHistory } from './history.ts';
import { Keys } from './keys/keys.ts';
import { chooseLook, type ThemeName } from './look.ts';
import { playRecorded } from './play.ts';
import type { TuiRequest } from './request.ts';
import { type WelcomeFacts, welcomeLines } from './screen/welcome.ts';
import { completionSources } from './sources.ts';
import { StatusCommand } from './status-command.ts';
import { submit } from './submit.ts';
import { followTeamFiles } from './team-files.ts';
import { copyText } from './terminal/copy-text.ts';
import type { EarlyFrame } from './terminal/early.ts';
import { farewell, partingWords } from './terminal/leave.ts';
import { Notifier } from './terminal/notify.ts';
import { pause } from './terminal/pause.ts';
import { watchSize } from './terminal/resize.ts';
import { onSignals } from './terminal/signals.ts';
import type { Terminal } from './terminal/terminal.ts';
import { describeWindow } from './terminal/title.ts';
import { loadHighlighter, showLine } from './text/index.ts';

/** The terminal app: opens the session, shows it until the user quits, and gives the terminal back. */
export async function runTui(
  request: TuiRequest,
  terminal: Terminal,
  early: EarlyFrame,
  unhookEarly: () => void,
): Promise<number> {
  const { clock, session: options } = request;
  let chosen: ThemeName | undefined;
  const look = (session?: ShownSession) => {
    const settings = session?.info().terminal ?? {};
    return chooseLook(request, chosen ? { ...settings, theme: chosen } : settings, terminal.background);
  };
  const app = new App(clock, look(), { columns: terminal.columns, rows: terminal.rows });
  const isShown = showEarlier(app, request, early);
  const opened = request.attach ? await request.attach() : await openAttended(options);
  if (!opened.ok) {
    early.erase();
    await terminal.settle();
    terminal.release();
    return request.complain(opened.problem);
  }
  app.look = look(opened.value);
  const { model, permissionMode: mode } = opened.value.info();
  const typed = early.handOver(app.look.plain, { model, mode });
  const display = new Display(app, terminal, typed.screen);
  const theme: DeskWorld['theme'] = {
    current: () => chosen ?? opened.value.info().terminal.theme ?? 'auto',
    use(name) {
      chosen = name;
      app.look = look(opened.value);
      size.redraw();
    },
  };
  const { desk, keys, commands, status } = furnish(request, terminal, opened.value, { app, display, theme });
  app.timeBy(() => desk.session.now());
  desk.begin(isShown);
  keys.goOnWith(typed.editor);
  const closeKeys = terminal.openKeys((inputs) => keys.take(inputs));
  const size = watchSize(app, terminal, display.main);
  terminal.onReport(({ kind }) => {
    if (kind !== 'background') return;
    const { theme } = app.look;
    app.look = look(opened.value);
    if (app.look.theme.background !== theme.background) size.redraw();
  });
  const restoreConsole = divertConsole((text) => desk.tell(text));
  const unhook = onSignals(
    (code) => desk.leave(code),
    () => terminal.isLent,
  );
  const attached = opened.value instanceof AttachedSession ? opened.value : undefined;
  void attached?.ended.then(() => desk.leave());
  unhookEarly();
  terminal.onGone(() => desk.leave(129));
  const state = findHome(request.environment, request.home);
  if (options.resume) await tellUnlanded(desk, state);
  void loadHighlighter(clock).then((highlighter) => app.useHighlighter(highlighter));
  const { replay, byHand } = request.session;
  const own = replay === undefined ? undefined : desk.own();
  if (own && !byHand && request.prompt === undefined) void playRecorded(own);
  if (request.show) desk.tell(request.show.about);
  if (request.pickSession) await pickSession(desk, request.pickSession === 'fork');
  const sent = request.prompt === undefined ? undefined : sendFirst(request.prompt, desk, commands);
  // Typed before there was a session.
  keys.take(typed.rest);
  await sent;
  const code = await desk.left;
  size.close();
  restoreConsole();
  display.close();
  const words = attached
    ? await partingWords(attached)
    : farewell(desk.session, app.state.view, request.isPassing);
  app.close();
  await terminal.settle();
  closeKeys();
  terminal.release();
  terminal.write(words);
  await status?.close();
  const closed = await desk.session.close();
  if (!attached) terminal.write(await describeUnlanded(state, desk.session.id));
  unhook();
  return closed.ok ? code : request.complain(closed.problem);
}

/** Before the first prompt: a kill may have left work that nobody has heard of. */
async function tellUnlanded(desk: Desk, state: string): Promise<void> {
  const text = await describeUnlanded(state, desk.session.id);
  if (text !== '') desk.tell(text.trimEnd());
}

/** The prompt of the command line; text typed meanwhile stays. */
function sendFirst(prompt: string, desk: Desk, commands: readonly SlashCommand[]): Promise<void> {
  const { app } = desk;
  const draft = app.state.editor;
  app.change({ editor: createEditor(prompt) });
  const sent = submit(desk, commands);
  // An unknown command stays to be fixed, unless the user is already typing something else.
  if (!isEmpty(draft) || isEmpty(app.state.editor)) app.change({ editor: draft });
  return sent;
}

/** The end of the conversation appears at once, however long it takes to resume. */
function showEarlier(app: App, { session, environment }: TuiRequest, early: EarlyFrame): boolean {
  app.say(greet(app, early.welcome));
  app.takeWritten();
  if (!session.resume) return false;
  const around = lookAround({ ...(session.cwd === undefined ? {} : { cwd: session.cwd }), environment });
  const path = findEarlierPath(session, around);
  if (path === undefined) return false;
  app.begin(buildEarlierView(path, { cwd: around.cwd }));
  const text = app.takeWritten();
  if (text !== '') early.write(text);
  return text !== '';
}

/** Drawn again with the screen: as the session is by then. */
function greet(app: App, welcome: WelcomeFacts): (drawing: Drawing) => string[] {
  return (drawing) => {
    const { model } = app.state.view.session;
    return welcomeLines({ ...welcome, model }, app.state.rows, drawing);
  };
}

function openAttended(options: SessionOptions): Promise<Result<Session>> {
  // Whether a user attended a replayed run is recorded on its tape.
  const attended = options.replay === undefined ? { attended: true, interactive: true } : {};
  return openSession({ ...options, ...attended, streamAgents: true });
}

/** Start options apply to later sessions too, except which conversation it began with. */
function openLater({ session }: TuiRequest, more: Partial<SessionOptions>): Promise<Result<Session>> {
  const { resume: _, fork: __, sessionId: ___, worktree: ____, ...others } = session;
  // One provided by the caller has no name to be found by.
  const own = typeof session.model === 'object' ? { model: session.model } : {};
  return openAttended({ ...others, ...more, ...own });
}

/** Everything around the session, wired together. */
function furnish(
  request: TuiRequest,
  terminal: Terminal,
  session: ShownSession,
  { app, display, theme }: { app: App; display: Display; theme: DeskWorld['theme'] },
) {
  const { environment } = request;
  const edit = async (text: string, ending?: string) => {
    const edited = await editText({ text, ending, environment, terminal, display });
    if (edited === undefined)
      desk.hint(`${showLine(chooseEditor(environment), 80)} failed, so nothing was changed.`);
    return edited;
  };
  const desk = new Desk(app, session, {
    ...{ edit, environment, theme, start: request.session },
    copy: (text) =>
      copyText(text, { terminal, environment, clock: request.clock, cwd: desk.session.info().cwd }),
    open: (more) => openLater(request, more),
    report: (words) => request.report(words, desk.session.info().cwd),
    runHere: (words) =>
      lendTerminal({ terminal, display }, () => request.runHere(words, desk.session.info().cwd)),
    history: openHistory(session),
  });
  followTeamFiles(desk);
  const { notify = 'auto', title = true } = session.info().terminal;
  const notifier = new Notifier(terminal, notify, environment);
  // The pane of a teammate has its name as a title.
  const isTitled = title && !app.look.plain && request.session.teamMember === undefined;
  const questions = new Questions(app, {
    answer: (questionId, answer) => void desk.send({ type: 'answer', questionId, answer, by: 'person' }),
    edit,
    call: (entry) => notifier.question(entry),
  });
  const { statusLine } = session.info().terminal;
  const status = statusLine === undefined ? undefined : new StatusCommand(desk, statusLine);
  app.onEvents = (before) => {
    questions.update();
    status?.update();
    notifier.changed(before, app.state.view);
    if (isTitled) terminal.setTitle(describeWindow(app.state.view));
  };
  const commands = request.attach
    ? attachedCommands()
    : [...builtInCommands(), ...(request.show ? [skipCommand(request.show)] : [])];
  const completer = new Completer(app, completionSources(desk, commands, request));
  const options = {
    modes:
      session.info().permissionMode === 'bypassPermissions' || request.session.allowBypass
        ? allModes
        : usualModes,
    pause: () =>
      canBeStopped() === false
        ? desk.hint('There is no shell to return to.')
        : void pause(terminal, display, request.clock, desk.left),
  };
  const keys = new Keys(desk, questions, () => commands, completer, options);
  return { desk, status, commands, keys };
}

/** The mode that allows everything is available only if a start flag allowed it. */
const usualModes: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];
const allModes: readonly PermissionMode[] = [...usualModes, 'bypassPermissions'];
