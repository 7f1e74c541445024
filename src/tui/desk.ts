import type { Result } from '../lib/result.ts';
import type { TextBlock } from '../protocol/index.ts';
import type { ShownSession } from '../session/attached/shown-session.ts';
import type { SessionOptions } from '../session/options.ts';
import { Session } from '../session/session.ts';
import { fromRecords, type View } from '../view/index.ts';
import { type App, follow } from './app.ts';
import { branchAround } from './branch.ts';
import { buildEarlierView } from './earlier.ts';
import { type Editor, emptyEditor, isEmpty } from './editor/index.ts';
import type { TypedHistory } from './history.ts';
import type { ThemeName } from './look.ts';
import { noticeLines } from './screen/entry-lines.ts';
import { OwnShell } from './shell.ts';
import type { Panel } from './state.ts';
import { runningWork, stillRunning } from './terminal/leave.ts';

/** The desk's environment. */
export interface DeskWorld {
  /** Opens another session; the current one is then closed. */
  open(options: Partial<SessionOptions>): Promise<Result<Session>>;
  /** The output of one of our own commands: `report(['doctor'])`. */
  report(words: readonly string[]): Promise<string>;
  /** Puts text on the clipboard and says how; undefined if there is no way. */
  copy(text: string): Promise<string | undefined>;
  /** The colours, until the program ends. */
  theme: { current(): ThemeName; use(name: ThemeName): void };
  /** Runs one of our own commands on the terminal itself, for one that talks to the user; returns its exit code. */
  runHere(words: readonly string[]): Promise<number>;
  /** Opens text in the user's editor, as a file of that ending, and returns it; undefined if there is no editor. */
  edit(text: string, ending?: string): Promise<string | undefined>;
  history: TypedHistory;
  /** The settings that the program was started with. */
  start: Pick<SessionOptions, 'settings' | 'settingSources' | 'trust'>;
  environment: Readonly<Record<string, string | undefined>>;
}

const againMs = 30_000;

/** Everything the screen can do: with the session, with others, with the panels. Commands and keys are built on this. */
export class Desk {
  #session: ShownSession;
  #warned: { at: number; of: string; work: ReadonlySet<string> } | undefined;
  readonly #left = Promise.withResolvers<number>();
  readonly shell = new OwnShell(this);
  /** Sent prompts that may be unread, by id, with their attachments. */
  readonly sent = new Map<string, { editor: Editor; ran: TextBlock[] }>();

  constructor(
    readonly app: App,
    session: ShownSession,
    readonly world: DeskWorld,
  ) {
    this.#session = session;
  }

  get session(): ShownSession {
    return this.#session;
  }

  /** The session where it runs in this process; undefined where the screen only looks at it, which the user then reads. */
  own(): Session | undefined {
    if (this.#session instanceof Session) return this.#session;
    this.hint('That is possible only in the terminal of the session itself.');
    return undefined;
  }

  /** The screen looks at a session of another process: to leave it stops nothing. */
  get isAttached(): boolean {
    return !(this.#session instanceof Session);
  }

  /** What leaving would stop, in words; empty if nothing. */
  nameStopped(view: View = this.app.state.view): string {
    return this.isAttached ? '' : stillRunning(view);
  }

  /** Resolves with the exit code when the user quits. */
  get left(): Promise<number> {
    return this.#left.promise;
  }

  leave(code = 0): void {
    this.#left.resolve(code);
  }

  /** Shows the session from its beginning, or from where it was resumed, unless that is already on the screen. */
  begin(isShown = false): void {
    const session = this.#session;
    const view = this.#viewOf(session);
    const isCurrent = () => session === this.#session;
    void follow(session, this.app, isCurrent, () => this.lookAtBranch());
    if (isShown) this.app.show(view);
    else this.app.begin(view);
    this.describe();
    session.continueSuspended();
  }

  /** Replaces this session with another. If that does not open, nothing changes. */
  async change(options: Partial<SessionOptions>): Promise<boolean> {
    const before = this.#session;
    if (this.#wouldEnd(JSON.stringify(options))) return false;
    // Closed first: a session that resumes the same conversation needs it to be free.
    await before.close();
    this.shell.forget();
    this.sent.clear();
    const opened = await this.world.open(options);
    if (opened.ok) this.#session = opened.value;
    else {
      this.warn(`${opened.problem.message} ${opened.problem.hint ?? ''}`.trim());
      const again = await this.world.open({ resume: { from: 'id', id: before.id } });
      const fresh = again.ok ? again : await this.world.open({});
      if (!fresh.ok) {
        this.leave(1);
        return false;
      }
      this.#session = fresh.value;
    }
    this.begin();
    return opened.ok;
  }

  /** Names the work that would end with the session first; repeating the command confirms, for that work only. */
  #wouldEnd(wish: string): boolean {
    const { view } = this.app.state;
    const work = runningWork(view).map(({ id }) => id);
    const at = this.app.clock.monotonic();
    const before = this.#warned;
    const isMeant =
      before?.of === wish && at - before.at < againMs && work.every((id) => before.work.has(id));
    if (work.length === 0 || isMeant) return false;
    this.#warned = { at, of: wish, work: new Set(work) };
    this.warn(
      `This stops ${stillRunning(view).replace(/^; this stops /, '')}. Enter the command again to confirm.`,
    );
    return true;
  }

  /** State that only the session knows, looked up again. */
  describe(): void {
    const { id, cwd, model, effort, permissionMode, contextWindow, mode, scratchpad } = this.#session.info();
    this.app.take({
      type: 'session_described',
      info: {
        id,
        cwd,
        model,
        effort: effort.chosen,
        permissionMode,
        contextWindow,
        mode,
        scratchpad,
      },
    });
    const team = this.#session.team();
    if (team) this.app.take({ agentId: null, parentToolUseId: null, type: 'team_changed', team });
    this.lookAtBranch();
    this.app.take({ type: 'cost_reported', cost: this.#session.cost() });
    this.app.flush();
  }

  /** A program that ran meanwhile may have changed it. */
  lookAtBranch(): void {
    const branch = branchAround(this.#session.info().cwd);
    if (branch !== this.app.state.view.session.branch) this.app.take({ type: 'branch_changed', branch });
  }

  /** Sends a command to the session and shows a refusal. */
  send(command: Parameters<Session['send']>[0]): boolean {
    const sent = this.#session.send(command);
    if (!sent.ok) this.warn([sent.problem.message, sent.problem.hint].filter(Boolean).join(' '));
    return sent.ok;
  }

  /** A few lines of our own in the conversation. */
  tell(text: string): void {
    this.app.say((drawing) => ['', ...noticeLines('info', text, drawing)]);
  }

  warn(text: string): void {
    this.app.say((drawing) => ['', ...noticeLines('warning', text, drawing)]);
  }

  hint(text: string): void {
    this.app.change({ hint: text });
  }

  open(panel: Panel): void {
    this.app.openPanel(panel);
  }

  /** For a result that took a moment: it does not take the keys if the user is typing something else by now. */
  laterPage(title: string, text: string): void {
    const { panel, editor, asking } = this.app.state;
    if (panel || asking?.isFocused || !isEmpty(editor)) return void this.tell(`${title}\n${text}`);
    this.app.change({ hint: undefined });
    this.page(title, text);
  }

  /** The same for a list; a user who is typing something else is told how to open it again. */
  laterOpen(panel: Panel, again: string): void {
    const { panel: front, editor, asking } = this.app.state;
    if (front || asking?.isFocused || !isEmpty(editor)) return void this.hint(`Ready: ${again} opens it.`);
    this.app.change({ hint: undefined });
    this.open(panel);
  }

  page(title: string, text: string): void {
    this.open({ kind: 'page', title, text, down: 0 });
  }

  clearPrompt(): void {
    this.app.change({ editor: emptyEditor(), menu: undefined });
  }

  #viewOf(session: ShownSession): View {
    const { id, cwd, model, permissionMode: mode, transcriptPath } = session.info();
    const facts = { id, cwd, model, mode };
    return transcriptPath === null ? fromRecords([], facts) : buildEarlierView(transcriptPath, facts);
  }
}
