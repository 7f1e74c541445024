import type { Outcome } from '../../protocol/index.ts';

/** The report that the harness sends for a member. One that did not finish says so: the leader waits for something. */
export function renderReport({ kind, text: whole, reason }: Outcome): string {
  const text = shorten(whole);
  if (kind === 'completed') return text;
  const said = text.trim() === '' ? 'I had said nothing yet.' : `My last words:\n\n${text}`;
  return `I did not finish (${kind}): ${reason ?? 'no reason given'}\n\n${said}`;
}

/** Below what mail may have, with room for what is said around it. */
const maxCharacters = 90_000;

function shorten(text: string): string {
  if (text.length <= maxCharacters) return text;
  const half = maxCharacters / 2;
  const left = text.length - maxCharacters;
  return `${text.slice(0, half)}\n\n[${left} characters are left out here]\n\n${text.slice(-half)}`;
}
