/** A terminal's screen, with its colours, as an SVG. */
export function drawScreen(title: string, screen: string): string {
  const lines = screen.trimEnd().split('\n');
  const pen = new Pen();
  const text = lines.map((line, index) => `<text x="16" y="${index * 18 + 28}">${pen.drawLine(line)}</text>`);
  const width = Math.max(...lines.map((line) => Bun.stringWidth(line))) * 8 + 32;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.max(width, 864)}" height="${lines.length * 18 + 28}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.3" fill="#d4d8de" role="img" style="white-space: pre"><title>${escapeText(title)}</title><rect width="100%" height="100%" rx="8" fill="#16191f"/>
${text.join('\n')}
</svg>
`;
}

/** A style continues until it is reset, also across lines. */
class Pen {
  #bold = false;
  #dim = false;
  #reverse = false;
  #colour: string | undefined;

  drawLine(line: string): string {
    return line
      .split(/\u001b\[([\d;]*)m/)
      .map((piece, index) => {
        if (index % 2 === 1) this.#take(piece === '' ? [0] : piece.split(';').map(Number));
        return index % 2 === 1 || piece === ''
          ? ''
          : `<tspan${this.#attributes()}>${escapeText(piece)}</tspan>`;
      })
      .join('');
  }

  #take(codes: number[]): void {
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] ?? 0;
      if (code === 0) this.#reset();
      else if (code === 1) this.#bold = true;
      else if (code === 2) this.#dim = true;
      else if (code === 7) this.#reverse = true;
      else if (code === 22) this.#bold = this.#dim = false;
      else if (code === 27) this.#reverse = false;
      else if (code === 39) this.#colour = undefined;
      else if (code === 38 || code === 48) {
        const colour =
          codes[at + 1] === 5 ? paletteColour(codes[at + 2] ?? 0) : rgb(codes.slice(at + 2, at + 5));
        if (code === 38) this.#colour = colour;
        at += codes[at + 1] === 5 ? 2 : 4;
      } else if (code >= 30 && code <= 37) this.#colour = paletteColour(code - 30);
      else if (code >= 90 && code <= 97) this.#colour = paletteColour(code - 82);
    }
  }

  #reset(): void {
    this.#bold = this.#dim = this.#reverse = false;
    this.#colour = undefined;
  }

  #attributes(): string {
    const fill = this.#reverse ? '#ffffff' : this.#colour;
    return [
      fill ? ` fill="${fill}"` : '',
      this.#bold ? ' font-weight="bold"' : '',
      this.#dim ? ' opacity="0.6"' : '',
    ].join('');
  }
}

const basic = [
  ...['#3b4252', '#e06c75', '#98c379', '#e5b567', '#61afef', '#c678dd', '#5fc3d4', '#d4d8de'],
  ...['#7a8290', '#ff8a93', '#b5e08c', '#ffd585', '#8cc8ff', '#e29bf5', '#86e1ee', '#ffffff'],
];

/** The 256 colours: sixteen, a cube of six to a side, and greys. */
function paletteColour(index: number): string {
  if (index < 16) return basic[index] ?? '#d4d8de';
  if (index >= 232) return rgb([index, index, index].map((grey) => 8 + (grey - 232) * 10));
  const at = index - 16;
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  return rgb([level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)]);
}

function rgb(parts: number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0');
}
