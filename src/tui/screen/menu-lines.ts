import type { Drawing } from '../drawing.ts';
import type { Menu } from '../state.ts';
import { pad, showLine, truncate, width } from '../text/index.ts';
import { pointer, styled } from './layout.ts';

const menuRows = 8;
const maxNameWidth = 28;

/** Suggestions, in at most so many rows, including the chosen one. */
export function menuLines({ items, selected }: Menu, most: number, drawing: Drawing): string[] {
  const rows = Math.min(menuRows, most);
  // Room not needed by a name goes to its description.
  const names = Math.min(maxNameWidth, Math.max(...items.map(({ value }) => width(showLine(value, 60)))));
  const from = Math.min(Math.max(0, selected - rows + 1), Math.max(0, items.length - rows));
  return items.slice(from, from + rows).map(({ value, note }, index) => {
    const isUnder = from + index === selected;
    const line = truncate(
      `${pointer(isUnder, drawing)}${pad(showLine(value, 60), names)}  ${showLine(note, 200)}`,
      drawing.width,
    );
    return styled(drawing, isUnder ? 'accent' : 'dim', line);
  });
}
