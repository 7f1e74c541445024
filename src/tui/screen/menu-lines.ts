import type { Drawing } from '../drawing.ts';
import type { Menu } from '../state.ts';
import { pad, showLine, truncate, width } from '../text/index.ts';
import { pointer, styled } from './layout.ts';
import { placeLine } from './work-table.ts';

const menuRows = 8;
const maxNameWidth = 28;

/** Suggestions, in at most so many rows, including the chosen one. */
export function menuLines({ items, selected }: Menu, most: number, drawing: Drawing): string[] {
  const isCut = items.length > Math.min(menuRows, most);
  const rows = Math.max(1, Math.min(menuRows, isCut ? most - 1 : most));
  // Room not needed by a name goes to its description.
  const names = Math.min(maxNameWidth, Math.max(...items.map(({ value }) => width(showLine(value, 60)))));
  const from = Math.min(Math.max(0, selected - rows + 1), Math.max(0, items.length - rows));
  const shown = items.slice(from, from + rows);
  const lines = shown.map(({ value, note }, index) => {
    const isUnder = from + index === selected;
    const line = truncate(
      `${pointer(isUnder, drawing)}${pad(showLine(value, 60), names)}  ${showLine(note, 200)}`,
      drawing.width,
    );
    return styled(drawing, isUnder ? 'accent' : 'dim', line);
  });
  const place = isCut && most > 1 ? [placeLine(from, shown.length, items.length, drawing)] : [];
  return [...lines, ...place];
}
