import type { Drawing } from '../drawing.ts';
import { renderOutput, showLine, truncate } from '../text/index.ts';
import { sign, spoken, styled } from './layout.ts';

/** A command typed after `!`. */
export interface ShellRun {
  /** Unique. */
  readonly id: object;
  readonly command: string;
  /** The end of its output. */
  readonly text: string;
}

const shownWhileRunning = 8;
const shownAtEnd = 40;

/** Running commands of the user, each with the end of its output. */
export function shellLines(shells: readonly ShellRun[], drawing: Drawing): string[] {
  return shells.flatMap(({ command, text }) => [
    '',
    shellHead(command, drawing),
    ...outputLines(text, shownWhileRunning, 'tail', drawing),
    styled(drawing, 'accent', truncate(spoken(drawing, '  running · esc to stop'), drawing.width)),
  ]);
}

function shellHead(command: string, drawing: Drawing): string {
  const line = `${sign(drawing, '!', 'Shell:')}${showLine(command, 500)}`;
  return styled(drawing, 'warning', truncate(line, drawing.width));
}

/** The permanent lines of one. */
export function ranLines(command: string, text: string, reason: string | null, drawing: Drawing): string[] {
  const end = reason === null ? [] : edge([styled(drawing, 'error', reason)], drawing);
  return [shellHead(command, drawing), ...outputLines(text, shownAtEnd, 'both', drawing), ...end];
}

function outputLines(text: string, maxLines: number, keep: 'tail' | 'both', drawing: Drawing): string[] {
  if (text.trim() === '') return [];
  const { width, theme } = drawing;
  const options = { width: Math.max(10, width - 4), theme, maxLines, keep };
  return edge(renderOutput(text.trimEnd(), options), drawing);
}

function edge(lines: readonly string[], drawing: Drawing): string[] {
  return lines.map((line) => `  ${drawing.plain ? '' : styled(drawing, 'border', '│ ')}${line}`);
}
