import { formatWait } from '../lib/text/duration.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { WaitEdge } from '../protocol/team.ts';
import type { WaitCircle } from './waits.ts';

const maxRows = 100;

/** Who waits for whom and what, for people: one line each, circles first. `now` in milliseconds since 1970. */
export function renderWaits(edges: readonly WaitEdge[], circles: readonly WaitCircle[], now: number): string {
  if (edges.length === 0) return 'Nobody waits.\n';
  const waits = edges.filter(isForPeople);
  const rows = waits.slice(0, maxRows).map((edge) => renderWait(edge, now));
  const left = waits.length - rows.length;
  const lines = [...circles.map(renderCircle), ...rows, ...(left > 0 ? [`… ${left} more`] : [])];
  return `${lines.join('\n')}\n`;
}

/** One wait, with how long it has lasted. */
export function renderWait(edge: WaitEdge, now: number): string {
  return `${describeWait(edge)}${describeAge(edge, now)}`;
}

/** One sentence that names all members of a circle and what holds each. */
export function renderCircle({ edges }: Pick<WaitCircle, 'edges'>): string {
  const names = edges.map(({ from }) => nameNode(from));
  const whole = [...names, names[0] ?? ''].join(' → ');
  return `Circle: ${whole}. ${edges.filter(isForPeople).map(describeWait).join('; ')}.`;
}

/** `alice waits for bob: the answer to "Which port?"` */
export function describeWait({ from, to, what }: WaitEdge): string {
  const [who, whom, why] = [nameNode(from), nameNode(to), visibleLine(what, 200)];
  return why.includes(whom) ? `${who} waits for ${why}` : `${who} waits for ${whom}: ${why}`;
}

/** That an item or a file is in the hands of its holder is part of the way, not a wait of its own. */
export function isForPeople({ from }: WaitEdge): boolean {
  return !/^(?:item|file):/.test(from);
}

function nameNode(name: string): string {
  const [, kind, rest = ''] = /^(item|file|provider):(.*)$/s.exec(name) ?? [];
  return visibleLine(kind === undefined ? name : `${kind} ${rest}`, 120);
}

function describeAge({ since }: WaitEdge, now: number): string {
  const age = now - Date.parse(since);
  return Number.isFinite(age) && age >= 1000 ? ` (${formatWait(age)})` : '';
}
