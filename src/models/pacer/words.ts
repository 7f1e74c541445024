import type { Hold } from './note.ts';

export function holdReason(model: string, { cause, status }: Hold, ms: number): string {
  const code = status ? ` (${status})` : '';
  switch (cause) {
    case 'rate_limited':
      return `${model} asks for ${duration(ms)} of patience${code}`;
    case 'overloaded':
      return `${model} is overloaded${code}: next try in ${duration(ms)}`;
    default:
      return `${model} has no ${cause} left for ${duration(ms)}`;
  }
}

export function turnReason(model: string, underWay: number, ahead: number): string {
  const others = ahead > 0 ? `, ${ahead} before this one` : '';
  return `waiting for a turn: ${underWay} ${underWay === 1 ? 'request' : 'requests'} to ${model} under way${others}`;
}

function duration(ms: number): string {
  if (ms < 950) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
