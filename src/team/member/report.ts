import type { Outcome } from '../../protocol/index.ts';

/** The report that the harness sends for a member. One that did not finish says so: the leader waits for something. */
export function renderReport({ kind, text, reason }: Outcome): string {
  if (kind === 'completed') return text;
  const said = text.trim() === '' ? 'I had said nothing yet.' : `My last words:\n\n${text}`;
  return `I did not finish (${kind}): ${reason ?? 'no reason given'}\n\n${said}`;
}
