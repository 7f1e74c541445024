import { visible } from '../lib/text/text.ts';

/** The first point at which a replayed run differs from the recorded one, with both sides. */
export interface Divergence {
  /** Of the tape; 1 is its first. */
  line: number;
  /** The place in words: "request 2 of the lead, messages.2.content.0.text". */
  where: string;
  recorded: string;
  now: string;
}

export function renderDivergence(path: string, { line, where, recorded, now }: Divergence): string {
  return [
    `The replay differs from its recording at line ${line} of ${path}, ${where}:`,
    `  recorded: ${recorded}`,
    `       now: ${now}`,
  ].join('\n');
}

/** Where two JSON values first differ, and how they read there. */
export function firstDifference(recorded: unknown, now: unknown): Omit<Divergence, 'line'> {
  const path: string[] = [];
  let [a, b] = [recorded, now];
  for (let key = firstKey(a, b); key !== undefined; key = firstKey(a, b)) {
    path.push(key);
    a = (a as Record<string, unknown>)[key];
    b = (b as Record<string, unknown>)[key];
  }
  return { where: path.join('.'), ...bothSides(a, b) };
}

/** The first key below which two values of one shape differ; undefined when the values themselves differ. */
function firstKey(a: unknown, b: unknown): string | undefined {
  if (!isNested(a) || !isNested(b) || Array.isArray(a) !== Array.isArray(b)) return undefined;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].find(
    (key) => JSON.stringify(left[key]) !== JSON.stringify(right[key]),
  );
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

const shownBefore = 40;
const shownAfter = 160;

/** Both texts from shortly before their first difference on; long ones would hide it. */
function bothSides(a: unknown, b: unknown): { recorded: string; now: string } {
  const [recorded, now] = [formatValue(a), formatValue(b)];
  let same = 0;
  while (same < recorded.length && recorded[same] === now[same]) same++;
  return { recorded: excerpt(recorded, same), now: excerpt(now, same) };
}

export function excerpt(text: string, around = 0): string {
  const from = around > shownBefore ? around - shownBefore : 0;
  const end = around + shownAfter;
  return visible(`${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`);
}

function formatValue(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
