import { visibleLine } from '../../lib/text/text.ts';

const maxTitleCharacters = 80;
const maxLineCharacters = 4000;

/**
 * A title that a terminal shows and does nothing else with. tmux expands `#{…}` in titles, runs `#(…)` and reads `%H` as the
 * hour, at one level or at two depending on where the title appears: the full-width forms mean nothing anywhere.
 */
export function cleanTitle(text: string): string {
  return visibleLine(text, maxTitleCharacters).replaceAll('#', '＃').replaceAll('%', '％');
}

/** Text to be typed: a control character would be a key, and a line break would send half of it. */
export function cleanLine(text: string): string {
  return visibleLine(text, maxLineCharacters);
}

/** A colour that tmux knows, and that holds no second style. */
export function cleanColour(colour: string): string | undefined {
  return /^(?:(?:bright)?(?:red|green|yellow|blue|magenta|cyan|white|black)|colour\d{1,3}|#[0-9a-fA-F]{6})$/.test(
    colour,
  )
    ? colour
    : undefined;
}
