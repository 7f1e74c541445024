export type Background = 'dark' | 'light';

export interface Look {
  colour?: string | undefined;
  backdrop?: string | undefined;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  reverse?: boolean;
}

/** Characters in a row with one look; `column` is where the first one is. */
export interface Run {
  column: number;
  columns: number;
  text: string;
  look: Look;
}

/** The runs of each line of a screen that tmux captured with its escapes. A look continues until it is reset, also across lines. */
export function readScreen(screen: string, background: Background): Run[][] {
  const pen = new Pen(background);
  return screen.split('\n').map((line) => pen.readLine(line));
}

class Pen {
  #look: Look = {};
  readonly #basic: readonly string[];

  constructor(background: Background) {
    this.#basic = palettes[background];
  }

  readLine(line: string): Run[] {
    const runs: Run[] = [];
    let column = 0;
    const pieces = line.replace(link, '').split(/\u001b\[([\d;:]*)m/);
    for (const [index, piece] of pieces.entries()) {
      if (index % 2 === 1) this.#take(piece === '' ? [0] : piece.split(/[;:]/).map(Number));
      else if (piece !== '') {
        const columns = Bun.stringWidth(piece);
        runs.push({ column, columns, text: piece, look: { ...this.#look } });
        column += columns;
      }
    }
    return runs;
  }

  #take(codes: number[]): void {
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] ?? 0;
      const kind = code === 38 || code === 48 ? codes[at + 1] : undefined;
      if (kind !== undefined) {
        const colour =
          kind === 5
            ? paletteColour(this.#basic, codes[at + 2] ?? 0)
            : formatRgb(codes.slice(at + 2, at + 5));
        this.#look = { ...this.#look, ...(code === 38 ? { colour } : { backdrop: colour }) };
        at += kind === 5 ? 2 : 4;
      } else this.#look = code === 0 ? {} : { ...this.#look, ...this.#change(code) };
    }
  }

  #change(code: number): Look {
    if (code >= 30 && code <= 37) return { colour: paletteColour(this.#basic, code - 30) };
    if (code >= 90 && code <= 97) return { colour: paletteColour(this.#basic, code - 82) };
    if (code >= 40 && code <= 47) return { backdrop: paletteColour(this.#basic, code - 40) };
    if (code >= 100 && code <= 107) return { backdrop: paletteColour(this.#basic, code - 92) };
    return changes[code] ?? {};
  }
}

const changes: Record<number, Look> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { reverse: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { reverse: false },
  39: { colour: undefined },
  49: { backdrop: undefined },
};

/** The address of a link; its text is shown. */
const link = /\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

const palettes: Record<Background, readonly string[]> = {
  dark: [
    ...['#3b4252', '#e06c75', '#98c379', '#e5b567', '#61afef', '#c678dd', '#5fc3d4', '#d4d8de'],
    ...['#7a8290', '#ff8a93', '#b5e08c', '#ffd585', '#8cc8ff', '#e29bf5', '#86e1ee', '#ffffff'],
  ],
  light: [
    ...['#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
    ...['#57606a', '#a40e26', '#1a7f37', '#633c01', '#218bff', '#a475f9', '#3192aa', '#24292f'],
  ],
};

/** The 256 colours: sixteen, a cube of six to a side, and greys. */
function paletteColour(basic: readonly string[], index: number): string {
  if (index < 16) return basic[index] ?? '#808080';
  if (index >= 232) return formatRgb([index, index, index].map((grey) => 8 + (grey - 232) * 10));
  const at = index - 16;
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  return formatRgb([level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)]);
}

function formatRgb(parts: number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
