import type { Command } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';

export function letterOf(
  command: Extract<Command, { type: 'prompt' }>,
  delivery: Letter['delivery'],
  initialPrompt?: string,
): Letter {
  const said =
    typeof command.content === 'string'
      ? [{ type: 'text' as const, text: command.content }]
      : command.content;
  const content = initialPrompt ? [{ type: 'text' as const, text: initialPrompt }, ...said] : said;
  return { delivery, content, origin: { kind: 'human' }, ...(command.uuid ? { uuid: command.uuid } : {}) };
}
