import { version } from '../lib/version.ts';
import { emptyView } from '../view/empty.ts';
import { branchAround } from './branch.ts';
import type { Drawing } from './drawing.ts';
import type { Editor } from './editor/editor.ts';
import { type EarlyTyped, nothingTyped, typeEarly } from './keys/early-keys.ts';
import { spoken, styled } from './screen/layout.ts';
import { type Drawn, placeholder, promptHeight, promptLines } from './screen/prompt-lines.ts';
import { statusLines } from './screen/status-line.ts';
import type { Terminal } from './terminal.ts';
import type { Theme } from './text/theme.ts';
import { wrap } from './text/wrap.ts';

export function greeting(drawing: Drawing): string[] {
  const words = spoken(drawing, `Cadre ${version} · /help shows keys and commands`);
  return wrap(words, drawing.width).map((line) => styled(drawing, 'dim', line));
}

export interface EarlyPlace {
  cwd: string;
  home: string;
  theme: Theme;
  plain: boolean;
}

/**
 * The first prompt, drawn before anything else is loaded, so the user can read and type while the session opens.
 * It imports single files, to load no more than it draws.
 */
export class EarlyFrame {
  readonly #drawing: Drawing;
  readonly #branch: string | null;
  #typed: EarlyTyped = nothingTyped;
  #erase = '';
  #isShown = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly place: EarlyPlace,
    interrupted: () => void,
  ) {
    const { theme, home, plain, cwd } = place;
    this.#drawing = { width: Math.max(20, terminal.columns), theme, home, places: [], now: 0, plain };
    this.#branch = branchAround(cwd);
    terminal.onWaitingKeys((chunk) => {
      const typed = typeEarly(this.#typed, chunk);
      if (typed === 'interrupted') return interrupted();
      this.#typed = typed;
      if (this.#isShown) this.show();
    });
    // A paste must be told from keys already now.
    terminal.write('\u001b[?2004h');
    this.write(greeting(this.#drawing).join('\n'));
  }

  /** Writes permanently, above the prompt. */
  write(text: string): void {
    this.erase();
    this.terminal.write(`${text.replaceAll('\n', '\r\n')}\r\n`);
    this.show();
  }

  erase(): void {
    this.terminal.write(this.#erase);
    this.#erase = '';
    this.#isShown = false;
  }

  /** With the text typed so far. */
  show(): void {
    if (this.place.plain) return;
    this.#isShown = true;
    const { cwd } = this.place;
    const { lines, cursor = { x: 0, y: 0 } } = earlyLines(
      this.#typed.editor,
      { cwd, branch: this.#branch, rows: this.terminal.rows },
      this.#drawing,
    );
    const up = lines.length - 1 - cursor.y;
    const wipe = this.#erase;
    // Line by line: some terminals add a whole cleared screen to the scrollback.
    const clear = `\u001b[2K${'\u001b[B\u001b[2K'.repeat(lines.length - 1)}\u001b[${lines.length - 1}A`;
    this.#erase = `\r${cursor.y > 0 ? `\u001b[${cursor.y}A` : ''}${clear}`;
    this.terminal.write(`${wipe}${lines.join('\r\n')}\r\u001b[${up}A\u001b[${cursor.x + 1}G`);
  }

  /** The text typed so far, for the new screen, which reads its own keys from here on. */
  handOver(): EarlyTyped {
    this.erase();
    const typed = this.#typed;
    this.#typed = nothingTyped;
    return typed;
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
