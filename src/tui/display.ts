import type { App } from './app.ts';
import { openScreen } from './draw/open-screen.ts';
import { clearScreen, type Screen } from './draw/screen.ts';
import { panelLines } from './panels/draw.ts';
import { emptyLineCache, type LineCache } from './panels/zoom.ts';
import { frame } from './screen/frame.ts';
import type { Panel } from './state.ts';
import type { Terminal } from './terminal/terminal.ts';

/** A panel on the terminal's alternate screen. */
interface Front {
  readonly screen: Screen;
  readonly cache: LineCache;
  /** The size that it was last drawn at. */
  size: string;
}

/**
 * Draws the app: the conversation on the main screen, a panel on the alternate one. The conversation keeps its place
 * behind a panel and continues there afterwards. However often the state changes at once, it is drawn once.
 */
export class Display {
  readonly #unsubscribe: () => void;
  #front: Front | undefined;
  #isDue = false;
  #isSuspended = false;

  constructor(
    private readonly app: App,
    private readonly terminal: Terminal,
    readonly main: Screen,
  ) {
    this.#unsubscribe = app.subscribe(() => this.#drawSoon());
    app.onCover = () => this.#drawMain();
  }

  /** Hands the terminal over for a while; the returned function takes it back. */
  suspend(): () => void {
    this.app.cover();
    this.#isSuspended = true;
    if (this.#front) this.#leave(this.#front);
    else this.main.clear();
    return () => {
      this.#isSuspended = false;
      if (this.#front) this.#enter(this.#front);
      this.app.uncover();
      this.#drawSoon();
    };
  }

  /** Everything that happened so far is shown; the cursor is below it. */
  close(): void {
    this.#unsubscribe();
    this.#hideFront();
    this.app.finish();
    this.#drawMain();
    if (!this.#isSuspended) this.main.close();
    // For good: a drawing that is due finds nothing to draw on.
    this.#isSuspended = true;
  }

  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.#isSuspended) return;
    const { panel } = this.app.state;
    if (panel) return void this.#drawFront(panel);
    this.#hideFront();
    this.#drawMain();
  }

  /** While something else has the terminal, finished text waits. */
  #drawMain(): void {
    const { app } = this;
    if (app.isCovered) return;
    this.main.draw(frame(app.state, app.drawing()), app.takeText());
  }

  #drawFront(panel: Panel): void {
    const { app, terminal } = this;
    const front = this.#front ?? this.#showFront();
    const size = `${terminal.columns} ${terminal.rows}`;
    // The terminal has rewrapped what was there.
    if (front.size !== size && !app.look.plain) front.screen.restart(clearScreen(terminal.rows));
    front.size = size;
    front.screen.draw(panelLines(app.state, panel, front.cache, app.drawing()));
  }

  #showFront(): Front {
    const { app, terminal } = this;
    app.cover();
    this.main.clear();
    const screen = openScreen(terminal, app.look.plain);
    const front = { screen, cache: emptyLineCache(), size: `${terminal.columns} ${terminal.rows}` };
    this.#enter(front);
    this.#front = front;
    return front;
  }

  #hideFront(): void {
    const front = this.#front;
    if (!front) return;
    this.#front = undefined;
    if (!this.#isSuspended) this.#leave(front);
    this.app.uncover();
  }

  #enter({ screen }: Front): void {
    if (!this.app.look.plain) this.terminal.useAlternate(true);
    screen.restart('');
  }

  /** Erased first: not every terminal has an alternate screen. */
  #leave({ screen }: Front): void {
    screen.clear();
    this.terminal.useAlternate(false);
  }
}
