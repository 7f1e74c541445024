import { formatWait } from '../../lib/text/duration.ts';
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

/** A wait of hours, with the time at which it ends and the provider's words. */
export function suspensionReason(said: string, ms: number, until: string): string {
  const sentence = /[.!?]$/.test(said) ? said : `${said}.`;
  return `Suspended until ${until} (in ${formatWait(ms)}): ${sentence}${/--fallback-model/.test(said) ? '' : ' Use --fallback-model or another --model.'}`;
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
