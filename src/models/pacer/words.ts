import type { Hold } from './note.ts';

export function holdReason(
  model: string,
  { cause, status }: Pick<Hold, 'cause' | 'status'>,
  ms: number,
): string {
  switch (cause) {
    case 'rate_limited':
      return `Rate limit: ${model} accepts requests again in ${formatWait(ms)}${adviseOn(ms)}`;
    case 'overloaded': {
      const code = status ? ` (${status})` : '';
      return `${model} is overloaded${code}: next try in ${formatWait(ms)}${adviseOn(ms)}`;
    }
    default:
      return `Rate limit: ${model} has no ${cause} left for ${formatWait(ms)}${adviseOn(ms)}`;
  }
}

/** Advice for a long wait. */
function adviseOn(ms: number): string {
  return ms > longMs ? '. Use --fallback-model or another --model.' : '';
}

const longMs = 60_000;

export function turnReason(model: string, underWay: number, ahead: number): string {
  const others = ahead > 0 ? `, ${ahead} before this one` : '';
  return `waiting for a turn: ${underWay} ${underWay === 1 ? 'request' : 'requests'} to ${model} in progress${others}`;
}

/** Short, and rounded for people. */
export function formatWait(ms: number): string {
  if (ms < 950) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
