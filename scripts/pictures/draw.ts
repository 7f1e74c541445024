import { type Background, type Look, type Run, readScreen } from './cells.ts';
import { linePath } from './strokes.ts';

export interface Screen {
  text: string;
  columns: number;
  rows: number;
  background: Background;
}

/** Pixels. A character is 0.6 of its size wide in every font that is named below. */
export const cell = { width: 7.8, height: 17, size: 13 } as const;
export const margin = 12;
const fonts = "'DejaVu Sans Mono', Menlo, 'Liberation Mono', 'Noto Sans Mono', monospace";
const paper = { dark: '#16191f', light: '#ffffff' } as const;
const ink = { dark: '#d4d8de', light: '#24292f' } as const;

/**
 * A terminal's screen, with its colours, as an SVG. Viewers differ in what they do with spaces and in the font they have, so nothing depends
 * on either: each word is at its own place, lines are drawn, and there is no style sheet.
 */
export function drawScreen(title: string, screen: Screen): string {
  const { width, height } = sizeOf(screen);
  return wrapSvg(title, width, height, drawAt(screen, 0, 0));
}

export function sizeOf({ columns, rows }: { columns: number; rows: number }): {
  width: number;
  height: number;
} {
  return { width: Math.ceil(columns * cell.width) + 2 * margin, height: rows * cell.height + 2 * margin };
}

export function wrapSvg(title: string, width: number, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${fonts}" font-size="${cell.size}" role="img"><title>${escapeText(title)}</title>
${content}
</svg>
`;
}

/** One screen on a sheet, with its corner here. */
export function drawAt(screen: Screen, left: number, top: number): string {
  const { width, height } = sizeOf(screen);
  const { background } = screen;
  const sheet: Sheet = { backdrops: [], words: new Map(), strokes: new Map() };
  for (const [row, runs] of readScreen(screen.text, background).slice(0, screen.rows).entries())
    for (const run of runs) addRun(sheet, run, row, background);
  const words = [...sheet.words].map(([look, texts]) => `<g${look}>${texts.join('')}</g>`);
  const strokes = [...sheet.strokes].map(
    ([colour, paths]) => `<path stroke="${colour}" d="${paths.join('')}"/>`,
  );
  return [
    `<g transform="translate(${left} ${top})">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${paper[background]}" stroke="#8b949e" stroke-opacity="0.4"/>`,
    ...sheet.backdrops,
    ...(strokes.length > 0 ? [`<g fill="none" stroke-width="1.2">${strokes.join('')}</g>`] : []),
    ...words,
    '</g>',
  ].join('\n');
}

/** What is drawn, by its look: an element that many share is written once. */
interface Sheet {
  backdrops: string[];
  words: Map<string, string[]>;
  strokes: Map<string, string[]>;
}

function addRun(
  sheet: Sheet,
  { column, columns, text, look }: Run,
  row: number,
  background: Background,
): void {
  const top = row * cell.height + margin;
  const colours = coloursOf(look, background);
  if (colours.backdrop)
    sheet.backdrops.push(
      `<rect x="${place(column)}" y="${top}" width="${round(columns * cell.width)}" height="${cell.height}" fill="${colours.backdrop}"/>`,
    );
  let at = column;
  for (const piece of splitWords(text)) {
    const wide = Bun.stringWidth(piece);
    const stroke = linePath(piece, place(at), top, cell);
    if (stroke) append(sheet.strokes, colours.ink, stroke);
    else if (piece.trim() !== '')
      append(
        sheet.words,
        attributesOf(look, colours.ink),
        `<text x="${place(at)}" y="${top + 13}">${escapeText(piece)}</text>`,
      );
    at += wide;
  }
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Words, spaces between them, lines, and each sign alone: it may come from another font, and be wider there. */
function splitWords(text: string): string[] {
  return text.match(/ +|[\u2500-\u257f]+|[\u0021-\u024f\u2010-\u2027]+|[\s\S]/gu) ?? [];
}

function coloursOf(look: Look, background: Background): { ink: string; backdrop: string | undefined } {
  const colour = look.colour ?? ink[background];
  const [front, back] = look.reverse ? [look.backdrop ?? paper[background], colour] : [colour, look.backdrop];
  return { ink: front, backdrop: back };
}

function attributesOf(look: Look, colour: string): string {
  return [
    ` fill="${colour}"`,
    look.bold ? ' font-weight="bold"' : '',
    look.italic ? ' font-style="italic"' : '',
    look.underline ? ' text-decoration="underline"' : '',
    look.dim ? ' opacity="0.6"' : '',
  ].join('');
}

function place(column: number): number {
  return round(column * cell.width + margin);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
