import type { Input } from '../../src/tui/keys/key.ts';

/** A key by its name, as in `ctrl-alt-left`; typed and pasted text in quotes. */
export function formatInput(input: Input): string {
  if ('pasted' in input) return `paste:${JSON.stringify(input.pasted)}`;
  const { name, text, ctrl, alt, shift } = input;
  if (name === 'text') return JSON.stringify(text);
  return `${ctrl ? 'ctrl-' : ''}${alt ? 'alt-' : ''}${shift ? 'shift-' : ''}${name}`;
}
