import { escapeTags } from './escape-tags.ts';

/**
 * Tags that only the harness may write, for they say who speaks: ours, and those that models know from elsewhere as the
 * voice of a harness.
 */
export const harnessTags: readonly string[] = [
  'task-notification',
  'teammate-message',
  'system-reminder',
  'cadre-fork',
  'command-name',
  'command-message',
  'command-args',
  'command-contents',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'user-prompt-submit-hook',
];

/** Makes text that is not the harness's own unable to open or close a notification (NT3). */
export function escapeHarnessTags(text: string): string {
  return escapeTags([text], harnessTags)[0] ?? text;
}

/** The same for texts that are read one after another. */
export function escapeHarnessTagsIn<Block extends { type: string }>(blocks: readonly Block[]): Block[] {
  const texts = blocks.map((block) => textOf(block));
  const escaped = escapeTags(texts, harnessTags);
  return blocks.map((block, index) =>
    escaped[index] === texts[index] ? block : { ...block, text: escaped[index] },
  );
}

/** What the harness tells an agent in the conversation. Text that is not its own is escaped before. */
export function remind(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

function textOf(block: object): string {
  return 'text' in block && typeof block.text === 'string' ? block.text : '';
}
