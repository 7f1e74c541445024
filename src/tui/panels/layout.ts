import type { Drawing } from '../drawing.ts';
import { spoken, styled } from '../screen/layout.ts';
import type { ScreenState } from '../state.ts';
import { truncate, wrap } from '../text/index.ts';

/** As many as fit, including the chosen one. */
export function around(lines: readonly string[], at: number, room: number, drawing: Drawing): string[] {
  const from = Math.min(Math.max(0, at - room + 1), Math.max(0, lines.length - room));
  return fill(lines.slice(from, from + room), room, drawing);
}

/** Empty rows are nothing to a screen reader, and to a terminal that can only print they push the rest away. */
export function fill(lines: readonly string[], height: number, { plain }: Drawing): string[] {
  if (plain) return [...lines];
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => '')];
}

/** Rows of key hints; a narrow screen needs more than one. */
const maxFoot = 3;

export function footLines(text: string, { view }: ScreenState, drawing: Drawing, most = maxFoot): string[] {
  const { length } = view.questions;
  const waits =
    length > 0 ? `${length} ${length === 1 ? 'question waiting' : 'questions waiting'}: ctrl-q · ` : '';
  const words = spoken(drawing, waits + text);
  const rows = most === 1 ? [truncate(words, drawing.width)] : wrap(words, drawing.width).slice(0, most);
  return ['', ...rows.map((row) => styled(drawing, length > 0 ? 'warning' : 'dim', row))];
}
