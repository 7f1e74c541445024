import type { Command } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';

export function letterOf(
  command: Extract<Command, { type: 'prompt' }>,
  delivery: Letter['delivery'],
): Letter {
  const content =
    typeof command.content === 'string'
      ? [{ type: 'text' as const, text: command.content }]
      : command.content;
  return { delivery, content, origin: { kind: 'human' }, ...(command.uuid ? { uuid: command.uuid } : {}) };
}
