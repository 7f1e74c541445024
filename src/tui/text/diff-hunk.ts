import type { Hunk } from '../../lib/text/diff.ts';
import { boundLine, showControls } from './controls.ts';
import { type ChangedRange, changedWords } from './diff-words.ts';
import { highlightSpans } from './highlight.ts';
import { shownSpans } from './output.ts';
import { over, paintSpans, plain, type Span, type Style } from './style.ts';
import type { Theme } from './theme.ts';
import type { Highlighter } from './tokens.ts';
import { spansWidth, wrapSpans } from './wrap.ts';

export interface HunkOptions {
  width: number;
  theme: Theme;
  /** Its extension tells the language. */
  path?: string;
  highlighter?: Highlighter | undefined;
  /** Longer lines are cut in the middle; none unless given. */
  maxLine?: number;
  /** The width of the line numbers; 0 if there are none. */
  digits: number;
}

type Sign = ' ' | '-' | '+' | '\\';

interface Line {
  sign: Sign;
  number: number | undefined;
  text: string;
  changes: ChangedRange[];
}

export function renderHunk(hunk: Hunk, options: HunkOptions): string[] {
  const lines = numberLines(hunk, options.maxLine ?? Number.POSITIVE_INFINITY);
  markWords(lines);
  return lines.flatMap((line) => renderLine(line, options));
}

function numberLines(hunk: Hunk, maxLine: number): Line[] {
  let [old, now] = [hunk.oldStart, hunk.newStart];
  const isKnown = isPlaced(hunk);
  return hunk.lines
    .flatMap((line) => line.split('\n'))
    .map((line): Line => {
      const sign = readSign(line);
      const number = sign === '\\' || !isKnown ? undefined : sign === '-' ? old : now;
      if (sign === ' ' || sign === '-') old++;
      if (sign === ' ' || sign === '+') now++;
      // Bounded before any other work; controls stay until painting, so they can be highlighted.
      return { sign, number, text: boundLine(line.slice(1).replace(/\r$/, ''), maxLine), changes: [] };
    });
}

/** Lines are counted from 1; if both counts start at 0, the position in the file is unknown. */
export function isPlaced({ oldStart, newStart }: Hunk): boolean {
  return oldStart > 0 || newStart > 0;
}

function readSign(line: string): Sign {
  const [first] = line;
  return first === '-' || first === '+' || first === '\\' ? first : ' ';
}

const maxPairs = 40;

/** If as many lines were added as removed, each is compared with its counterpart. */
function markWords(lines: readonly Line[]): void {
  for (let at = 0; at < lines.length; ) {
    const removed = measureRun(lines, at, '-');
    const added = measureRun(lines, at + removed, '+');
    if (removed === added && removed <= maxPairs)
      for (let pair = 0; pair < removed; pair++) markPair(lines[at + pair], lines[at + removed + pair]);
    at += Math.max(1, removed + added);
  }
}

function measureRun(lines: readonly Line[], from: number, sign: Sign): number {
  let length = 0;
  while (lines[from + length]?.sign === sign) length++;
  return length;
}

function markPair(before: Line | undefined, after: Line | undefined): void {
  if (!before || !after) return;
  const changes = changedWords(showControls(before.text), showControls(after.text));
  if (!changes) return;
  [before.changes, after.changes] = changes;
}

function renderLine(line: Line, options: HunkOptions): string[] {
  const { theme, width } = options;
  const [block, word] = chooseStyles(line.sign, theme);
  const margin = drawMargin(line, options);
  const gutter: Style = line.sign === ' ' ? theme.styles.dim : block;
  const spans = emphasise(buildSpans(line, options, block), line.changes, word, theme.styles.control);
  const rows = wrapSpans(spans, width - margin.length, { hard: true });
  return rows.map((row, index) => {
    const before = index === 0 ? margin : ' '.repeat(margin.length);
    const painted: Span[] = [{ text: before, style: gutter }, ...row];
    const free = block.bg === undefined ? 0 : width - spansWidth(painted);
    return paintSpans([...painted, { text: ' '.repeat(Math.max(0, free)), style: block }]);
  });
}

/** Without numbers if they are not known yet or would leave no room. */
function drawMargin({ sign, ...line }: Line, { theme, width, digits }: HunkOptions): string {
  const number = String(line.number ?? '');
  if (theme.words) return `${number}${words[sign]}: `;
  if (digits + 3 > width / 2) return sign;
  return digits === 0 ? `${sign} ` : `${number.padStart(digits)} ${sign} `;
}

const words: Readonly<Record<Sign, string>> = { ' ': '', '+': ' added', '-': ' removed', '\\': 'Note' };

function chooseStyles(sign: Sign, { styles }: Theme): [block: Style, word: Style] {
  if (sign === '+') return [styles.addedBlock, styles.addedWord];
  if (sign === '-') return [styles.removedBlock, styles.removedWord];
  return [sign === '\\' ? styles.dim : plain, plain];
}

/** Syntax colours are used only where a background marks the change. */
function buildSpans(line: Line, { theme, path, highlighter }: HunkOptions, block: Style): Span[] {
  const spans = shownSpans(line.text, theme, block);
  const isColoured = line.sign === ' ' || block.bg !== undefined;
  const [only] = spans;
  if (!isColoured || !only || spans.length > 1 || only.style !== block) return spans;
  const [coloured = []] = highlightSpans(only.text, guessLanguage(path ?? ''), theme, highlighter);
  return coloured.map((span) => ({ text: span.text, style: over(block, span.style) }));
}

function guessLanguage(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : name;
}

function emphasise(
  spans: readonly Span[],
  changes: readonly ChangedRange[],
  style: Style,
  control: Style,
): Span[] {
  if (changes.length === 0) return [...spans];
  let offset = 0;
  return spans.flatMap((span) => {
    const start = offset;
    offset += span.text.length;
    if (span.style === control) return [span];
    const cuts = changes.flat().map((at) => at - start);
    const inside = cuts.filter((at) => at > 0 && at < span.text.length);
    return [0, ...inside].map((from, index) => {
      const text = span.text.slice(from, inside[index]);
      const isChanged = changes.some(([first, end]) => start + from >= first && start + from < end);
      return { text, style: isChanged ? over(span.style, style) : span.style };
    });
  });
}
