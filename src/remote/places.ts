import { z } from 'zod';
import { parseQuietly } from './job.ts';

/** A checkout, the main one of its repository, and the session's own files. Only `cwd` where nothing but text depends on it. */
export const placeSchema = z.object({
  kind: z.literal('place'),
  cwd: z.string(),
  top: z.string().optional(),
  main: z.string().optional(),
  common: z.string().optional(),
  files: z.string().optional(),
});

export type CarriedPlace = Omit<z.output<typeof placeSchema>, 'kind'>;

/** Records that say where something is. What was said in a conversation stays as it was said. */
const placed = /^\{"type":"(?:cadre-transcript|session-state|agent-state|task-state)"/;

type Pair = readonly [from: string, to: string];

/** A log of a session for another place: its records about places lead there, and no other line changes. */
export function relocateLog(text: string, from: CarriedPlace, to: CarriedPlace): string {
  const pairs = listPairs(from, to);
  if (pairs.every(([one, other]) => one === other)) return text;
  return text
    .split('\n')
    .map((line) => (placed.test(line) ? relocateLine(line, pairs) : line))
    .join('\n');
}

function relocateLine(line: string, pairs: readonly Pair[]): string {
  const record = parseQuietly(line);
  return record === undefined ? line : JSON.stringify(relocateValue(record, pairs));
}

function relocateValue(value: unknown, pairs: readonly Pair[], name = ''): unknown {
  if (typeof value === 'string') return relocatePath(value, name === 'main' ? pairs.toReversed() : pairs);
  if (Array.isArray(value)) return value.map((one) => relocateValue(one, pairs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, relocateValue(one, pairs, key)]));
}

function relocatePath(path: string, pairs: readonly Pair[]): string {
  const found = pairs.find(([from]) => path === from || path.startsWith(`${from}/`));
  return found ? found[1] + path.slice(found[0].length) : path;
}

/** The most special first; the main checkout last, where it is not the one that the session is in. */
function listPairs(from: CarriedPlace, to: CarriedPlace): Pair[] {
  const pair = (one: string | undefined, other: string | undefined): Pair[] =>
    one === undefined || other === undefined ? [] : [[one, other]];
  const below = (main: string | undefined) => main && `${main}/.cadre/worktrees`;
  return [
    ...pair(from.files, to.files),
    ...pair(below(from.main), below(to.main)),
    ...pair(from.common, to.common),
    ...(from.top === undefined ? pair(from.cwd, to.cwd) : pair(from.top, to.top)),
    ...pair(from.main, to.main),
  ];
}

/** Where a log was written whose writer did not say so: a session is looked for by the directory in its first line. */
export function readPlace(text: string): CarriedPlace {
  const header = parseQuietly(text.slice(0, text.indexOf('\n')));
  const cwd = typeof header === 'object' && header !== null && 'cwd' in header ? header.cwd : undefined;
  return { cwd: typeof cwd === 'string' ? cwd : '' };
}

/** For agents that read their own conversation: where its paths lead now. Empty if nothing has changed. */
export function describeMove(from: CarriedPlace | undefined, to: CarriedPlace): string {
  const before = from?.top ?? from?.cwd;
  const now = to.top ?? to.cwd;
  if (before === undefined || before === now) return '';
  return `Your files are in ${now} now; paths below ${before} in this conversation mean the same files there.`;
}
