import type { Clock } from '../lib/clock.ts';
import type { ShownSession } from '../session/attached/shown-session.ts';
import {
  emptyView,
  listTeammates,
  reduceAll,
  releaseConversation,
  taskCounts,
  type View,
  type ViewEvent,
} from '../view/index.ts';
import { CostFeed } from './cost-feed.ts';
import { type Drawing, minWidth } from './drawing.ts';
import { emptyEditor } from './editor/index.ts';
import { Printer } from './printer.ts';
import type { AskingDrawn } from './screen/asking-lines.ts';
import { frame, questionShown } from './screen/frame.ts';
import type { Panel, ScreenState } from './state.ts';
import { type Highlighter, listPlaces, type Theme } from './text/index.ts';

/** How the screen looks and moves; fixed at the start. */
export interface ScreenLook {
  theme: Theme;
  plain: boolean;
  isDumb: boolean;
  /** False: nothing is redrawn only because time passes. */
  animation: boolean;
  home: string;
}

/** The highest rate at which session events are drawn. */
const frameMs = 25;
const tickMs = 1_000;

/**
 * The state of the screens and its changes. Session events are gathered for a moment and reduced together; a key
 * applies at once. While nothing happens and nobody is in a team there is no timer.
 */
export class App {
  readonly #listeners = new Set<() => void>();
  readonly #printer = new Printer();
  readonly #waiting: ViewEvent[] = [];
  readonly #unsaid: ((drawing: Drawing) => string[])[] = [];
  #highlighter: Highlighter | undefined;
  #covers = 0;
  #cancelFlush: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #state: ScreenState;
  #now: () => number;
  /** Called after every change that events made. */
  onEvents: (before: View) => void = () => {};
  /** Called before something else has the terminal. */
  onCover: () => void = () => {};
  /** Called when the terminal is ours again, before anything is written. */
  onUncovered: () => void = () => {};

  constructor(
    readonly clock: Clock,
    public look: ScreenLook,
    size: { columns: number; rows: number },
  ) {
    this.#now = () => clock.now();
    this.#state = {
      view: emptyView(),
      editor: emptyEditor(),
      ...size,
      now: clock.now(),
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Something else has the terminal: the conversation cannot be drawn. */
  get isCovered(): boolean {
    return this.#covers > 0;
  }

  get state(): ScreenState {
    return this.#state;
  }

  drawing(state: ScreenState = this.#state): Drawing {
    const { theme, plain, isDumb, home } = this.look;
    const more = this.#highlighter ? { highlighter: this.#highlighter } : {};
    const { cwd, scratchpad } = state.view.session;
    const places = listPlaces({ cwd, home, scratchpad });
    return {
      width: Math.max(minWidth, state.columns),
      theme,
      plain,
      isDumb,
      home,
      places,
      now: state.now,
      ...more,
    };
  }

  change(part: Partial<ScreenState>): void {
    this.#state = { ...this.#state, ...part, now: this.#now() };
    for (const listener of [...this.#listeners]) listener();
  }

  /** The session's own time: in a replay, the recorded one. */
  timeBy(now: () => number): void {
    this.#now = now;
  }

  /** Code is coloured from here on. */
  useHighlighter(highlighter: Highlighter): void {
    this.#highlighter = highlighter;
    this.change({});
  }

  /** Takes an event; it is shown within a moment. */
  take(event: ViewEvent): void {
    this.#waiting.push(event);
    this.#flushSoon();
  }

  /** Shows pending events now. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#flushedAt = this.clock.monotonic();
    const before = this.#state.view;
    const events = this.#waiting.splice(0);
    if (events.length > 0 || this.#printer.isBehind) this.show(reduceAll(before, events, this.#now()));
    this.onEvents(before);
    this.#keepTime();
  }

  /** Another view of the same session: its finished entries are written. */
  show(view: View): void {
    // Text written while another program has the terminal would be lost.
    if (!this.isCovered)
      this.#printer.follow(
        view.lead,
        this.drawing({ ...this.#state, view }),
        view.session.runStartedAt !== null,
      );
    this.#changeWritten({ view });
  }

  /** Another session: its conversation is written from the beginning. */
  begin(view: View): void {
    this.#printer.restart();
    this.show(view);
  }

  /** All finished text, however much, for a caller that writes it before the session is open. */
  takeWritten(): string {
    this.#printer.finish(this.drawing());
    return this.takeText();
  }

  /** Writes text that is not part of a conversation. */
  say(draw: (drawing: Drawing) => string[]): void {
    if (this.isCovered) this.#unsaid.push(draw);
    else this.#printer.say(draw, this.drawing());
    this.#changeWritten();
  }

  /** The finished text that is new, to be written once above the moving part. Empty if there is none. */
  takeText(): string {
    return this.#printer.takeText();
  }

  /** The layout of a question; undefined if the screen is too small for it. */
  questionShown(asking: NonNullable<ScreenState['asking']>): AskingDrawn | undefined {
    return questionShown(asking, this.#state, this.drawing());
  }

  /** Known before anything is drawn at it. */
  resize(columns: number, rows: number): void {
    const { asking } = this.#state;
    // Everything on the screen until now has been read.
    const read = asking && this.questionShown(asking)?.read;
    this.#state = { ...this.#state, columns, rows, ...(read ? { asking: { ...asking, read } } : {}) };
  }

  /** The rows of the conversation that fit above the moving part. */
  get room(): number {
    return Math.max(0, this.#state.rows - frame(this.#state, this.drawing()).lines.length - 1);
  }

  /** The end of the conversation at the current size. */
  redrawn(rows: number): string[] {
    return this.#printer.redraw(this.drawing(), rows);
  }

  /** The number of rows written so far. */
  get rowsWritten(): number {
    return this.#printer.rows;
  }

  openPanel(panel: Panel): void {
    this.#leaveZoom(panel);
    this.change({ panel });
  }

  closePanel(): void {
    this.#leaveZoom();
    this.change({ panel: undefined });
  }

  /** A transcript read to view an agent is kept only while it is viewed. */
  #leaveZoom(next?: Panel): void {
    const { panel, view } = this.#state;
    const viewed = panel && findViewed(panel);
    if (viewed === undefined || (next && findViewed(next) === viewed)) return;
    this.#state = { ...this.#state, view: releaseConversation(view, viewed) };
  }

  /** From here on something else has the terminal: a panel, an editor. Several may have it at once. */
  cover(): void {
    if (this.#covers === 0) this.onCover();
    this.#covers++;
  }

  /** Once the terminal is ours again, pending text is written. */
  uncover(): void {
    if (--this.#covers > 0) return;
    this.onUncovered();
    for (const draw of this.#unsaid.splice(0)) this.#printer.say(draw, this.drawing());
    this.show(this.#state.view);
    this.onEvents(this.#state.view);
  }

  /** Everything that happened so far is written. */
  finish(): void {
    this.flush();
    this.#printer.finish(this.drawing());
    this.#changeWritten();
  }

  close(): void {
    this.#cancelFlush?.();
    this.#cancelTick?.();
    this.#listeners.clear();
  }

  #changeWritten(part: Partial<ScreenState> = {}): void {
    this.change({ ...part, rest: this.#printer.rest, looks: this.#printer.looks });
    if (this.#printer.isBehind && !this.isCovered) this.#flushSoon();
  }

  #flushSoon(): void {
    const since = this.clock.monotonic() - this.#flushedAt;
    this.#cancelFlush ??= this.clock.after(Math.max(0, frameMs - since), () => this.flush());
  }

  /** Time is counted only while the screen shows how long something has lasted. */
  #keepTime(): void {
    const { view } = this.#state;
    if (!this.look.animation || this.#cancelTick || !(isBusy(view) || listTeammates(view).length > 0)) return;
    this.#cancelTick = this.clock.after(tickMs, () => {
      this.#cancelTick = undefined;
      this.change({});
      this.#keepTime();
    });
  }
}

/** The agent whose conversation a panel shows. */
function findViewed(panel: Panel): string | undefined {
  if (panel.kind === 'zoom') return panel.agentId;
  return panel.kind === 'transcript' ? (panel.agentId ?? undefined) : undefined;
}

export function isBusy(view: View): boolean {
  return view.session.runStartedAt !== null || taskCounts(view).running > 0;
}

/** A waiting compaction is listed among the waiting prompts, under this name. */
export const compactionId = 'compaction';

/** Follows a session until it is closed or replaced. `heard` is called after every message. */
export async function follow(
  session: ShownSession,
  app: App,
  isCurrent: () => boolean,
  heard: () => void,
): Promise<void> {
  const feed = new CostFeed(
    app.clock,
    () => session.cost(),
    (cost) => isCurrent() && app.take({ type: 'cost_reported', cost }),
  );
  for await (const event of session.events()) {
    if (!isCurrent()) break;
    app.take(event);
    if (app.state.view.queued.some(({ uuid }) => uuid === compactionId) && !session.waitsToCompact)
      app.take({ type: 'prompts_withdrawn', uuid: compactionId });
    feed.note(event);
    if (event.type === 'message_added') heard();
  }
  feed.close();
}
