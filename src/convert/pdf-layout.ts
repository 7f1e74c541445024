/** A piece of text with its position on the page, in points. */
export interface PdfPiece {
  text: string;
  x: number;
  y: number;
  endX: number;
  size: number;
}

const maxCharacters = 1_000_000;

/** Joins pieces in the order in which the page draws them, with the spaces and line ends that their positions show. */
export class PdfLayout {
  readonly #parts: string[] = [];
  #length = 0;
  #last: PdfPiece | undefined;
  /** Characters that the page shows but its fonts do not explain. */
  unknown = 0;

  add(piece: PdfPiece): void {
    if (piece.text === '' || this.#length > maxCharacters) return;
    const between = this.#last ? separator(this.#last, piece) : '';
    this.#parts.push(between, piece.text);
    this.#length += between.length + piece.text.length;
    this.#last = piece;
  }

  text(): string {
    return this.#parts
      .join('')
      .toWellFormed()
      .replace(/[\0-\x08\x0b-\x1f]/g, '')
      .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize('NFKC'))
      .replace(/[ \t\u00a0]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }
}

function separator(last: PdfPiece, next: PdfPiece): string {
  const size = Math.max(1, Math.min(last.size, next.size));
  const down = Math.abs(last.y - next.y);
  if (down > Math.max(last.size, next.size) * 1.9) return '\n\n';
  // Raised and lowered letters stay on their line.
  if (down > size * 0.6) return '\n';
  const gap = next.x - last.endX;
  if (gap < -size * 2) return '\n';
  if (gap > size * 0.17 && !last.text.endsWith(' ') && !next.text.startsWith(' ')) return ' ';
  return '';
}
