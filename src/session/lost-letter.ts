import { remind } from '../lib/text/harness-tags.ts';
import { describeLostCalls } from '../store/unclear-calls.ts';
import type { Letter } from '../tasks/inbox.ts';

/** To the lead or another agent, about calls whose messages are damaged in its transcript. */
export function lostLetter(lost: readonly string[]): Letter {
  const text = remind(describeLostCalls(lost));
  return { delivery: 'steer', content: [{ type: 'text', text }], origin: { kind: 'harness' } };
}
