import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { emptyView } from '../../view/empty.ts';
import { branchAround } from '../branch.ts';
import { openScreen } from '../draw/open-screen.ts';
import type { Screen } from '../draw/screen.ts';
import { type Drawing, minWidth } from '../drawing.ts';
import type { Editor } from '../editor/editor.ts';
import { type EarlyTyped, nothingTyped, typeEarly } from '../keys/early-keys.ts';
import { type Drawn, placeholder, promptHeight, promptLines } from '../screen/prompt-lines.ts';
import { statusLines } from '../screen/status-line.ts';
import { type WelcomeFacts, welcomeLines } from '../screen/welcome.ts';
import type { Theme } from '../text/theme.ts';
import type { Terminal } from './terminal.ts';

/** What the directory alone says; the session says the rest when it is open. */
export function welcomeFacts(cwd: string, isShort: boolean): WelcomeFacts {
  const branch = branchAround(cwd);
  const hasMemory = ['AGENTS.md', 'CLAUDE.md'].some((name) => existsSync(join(cwd, name)));
  return { cwd, branch, model: '', mode: 'default', hasMemory, isRepository: branch !== null, isShort };
}

export interface EarlyPlace {
  welcome: WelcomeFacts;
  home: string;
  theme: Theme;
  plain: boolean;
}

/**
 * The first prompt, drawn before anything else is loaded, so the user can read and type while the session opens.
 * It imports single files, to load no more than it draws.
 */
export class EarlyFrame {
  #drawing: Drawing;
  #welcome: WelcomeFacts;
  readonly #screen: Screen;
  readonly #closeKeys: () => void;
  #typed: EarlyTyped = nothingTyped;
  #isShown = true;
  /** The greeting is written. Until then it is drawn with the prompt, in the colours known so far. */
  #isGreeted = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly place: EarlyPlace,
    interrupted: () => void,
  ) {
    const { theme, home, plain, welcome } = place;
    this.#drawing = { width: Math.max(minWidth, terminal.columns), theme, home, places: [], now: 0, plain };
    this.#welcome = welcome;
    this.#screen = openScreen(terminal, plain);
    this.#closeKeys = terminal.openKeys((inputs) => {
      const typed = typeEarly(this.#typed, inputs);
      if (typed === 'interrupted') return interrupted();
      this.#typed = typed;
      if (this.#isShown) this.show();
    });
    // For a screen reader nothing is drawn again.
    if (plain) this.write('');
    else this.show();
  }

  get welcome(): WelcomeFacts {
    return this.place.welcome;
  }

  /** Writes permanently, below the greeting and above the prompt. */
  write(text: string): void {
    const first = this.#isGreeted ? [] : welcomeLines(this.#welcome, this.terminal.rows, this.#drawing);
    this.#isGreeted = true;
    this.#screen.draw(this.#draw(), [...first, ...(text === '' ? [] : [text])].join('\n'));
  }

  /** The terminal has said what it looks like. */
  useTheme(theme: Theme): void {
    this.#drawing = { ...this.#drawing, theme };
    if (this.#isShown) this.show();
  }

  erase(): void {
    this.#isShown = false;
    this.#screen.clear();
  }

  /** With the text typed so far. */
  show(): void {
    this.#isShown = true;
    this.#screen.draw(this.#draw());
  }

  /** The session is open: the text typed so far, and the screen to continue on, which reads its own keys from here on. */
  handOver(isSpoken: boolean, known: Pick<WelcomeFacts, 'model' | 'mode'>): EarlyTyped & { screen: Screen } {
    this.#closeKeys();
    this.#welcome = { ...this.#welcome, ...known };
    if (!this.#isGreeted) this.write('');
    const typed = this.#typed;
    this.#typed = nothingTyped;
    if (isSpoken === this.place.plain) return { ...typed, screen: this.#screen };
    this.erase();
    return { ...typed, screen: openScreen(this.terminal, isSpoken) };
  }

  #draw(): Drawn {
    if (this.place.plain) return { lines: [] };
    const { rows } = this.terminal;
    const { cwd, branch } = this.#welcome;
    const prompt = earlyLines(this.#typed.editor, { cwd, branch, rows }, this.#drawing);
    if (this.#isGreeted) return prompt;
    const above = welcomeLines(this.#welcome, rows, this.#drawing);
    return {
      lines: [...above, ...prompt.lines],
      ...(prompt.cursor ? { cursor: { x: prompt.cursor.x, y: prompt.cursor.y + above.length } } : {}),
    };
  }
}

/** The first frame of the screen, for an empty conversation. */
export function earlyLines(
  editor: Editor,
  { cwd, branch, rows }: { cwd: string; branch: string | null; rows: number },
  drawing: Drawing,
): Drawn {
  const prompt = promptLines(editor, { most: promptHeight(rows), placeholder, isActive: true }, drawing);
  const status = statusLines(emptyView({ cwd, branch }), { questions: 0 }, drawing);
  return {
    lines: ['', ...prompt.lines, ...status],
    ...(prompt.cursor ? { cursor: { x: prompt.cursor.x, y: prompt.cursor.y + 1 } } : {}),
  };
}
