import { textOf } from '../../protocol/index.ts';
import type { Letter } from '../../tasks/inbox.ts';

const frame = /^<(system-reminder|teammate-message)\b[^>]*>\n?([\s\S]*?)\n?<\/\1>$/;

/**
 * A letter as its text on the worker. To the session there it is a prompt, in which the frames of this session's harness would be
 * text like any other: who says it is said in words.
 */
export function renderLetter({ content, origin }: Letter): string {
  const text = textOf(content).trim();
  const inner = frame.exec(text)?.[2] ?? text;
  if (inner === '') return '';
  if (origin.kind === 'harness') return `[${inner}]`;
  if (origin.kind !== 'mail') return inner;
  return `Message from ${describeSender(origin.from)}:\n\n${inner}`;
}

function describeSender(from: string): string {
  if (from === 'user') return 'the user';
  return from === 'main' ? 'the agent that started you' : `the agent ${from}`;
}
