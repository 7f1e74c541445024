import { findTextFault } from '../../shell/grammar/check-text.ts';
import { showParts } from './controls.ts';
import { highlightSpans } from './highlight.ts';
import { shownSpans } from './output.ts';
import { paintSpans, plain } from './style.ts';
import type { Theme } from './theme.ts';
import type { Highlighter } from './tokens.ts';
import { width as measureWidth } from './width.ts';
import { wrapSpans } from './wrap.ts';

export interface CommandOptions {
  width: number;
  theme: Theme;
  highlighter?: Highlighter | undefined;
  /** Comes before the first line; `$ ` unless given. */
  prompt?: string;
}

/**
 * A shell command in a question: all of it, line by line, cut at the cell and not between words.
 * A command with invisible characters is not coloured; they are highlighted instead.
 */
/** Marks the rest of a line that is too long, so it does not look like a separate line. */
const continuation = '↳ ';

export function renderCommand(command: string, options: CommandOptions): string[] {
  const { width, theme, highlighter, prompt = '$ ' } = options;
  // What the judge reads as plain text hides nothing: emoji look as they should.
  const parts = showParts(command, findTextFault(command) === undefined ? 'prose' : 'all');
  const lines = parts.some((part) => part.isControl)
    ? [shownSpans(command, theme, plain)]
    : highlightSpans(parts[0]?.text ?? '', 'bash', theme, highlighter);
  const margin = measureWidth(prompt) + 10 <= width ? prompt : '';
  const room = width - measureWidth(margin);
  return lines
    .flatMap((line) => wrapSpans(line, room, { hard: true, indent: continuation }))
    .map((line, index) => {
      const before = index === 0 ? margin : ' '.repeat(measureWidth(margin));
      return paintSpans([{ text: before, style: theme.styles.dim }, ...line]);
    });
}
