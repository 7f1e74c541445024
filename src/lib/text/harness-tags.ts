import { escapeTags } from './escape-tags.ts';

/** Tags of notices, which only the harness may write: ours, and those that models know from elsewhere as its voice. */
export const noticeTags: readonly string[] = [
  ...['task-notification', 'task-id', 'output-file', 'teammate-message', 'system-reminder', 'cadre-fork'],
  ...['command-name', 'command-message', 'command-args', 'command-contents'],
  ...['local-command-stdout', 'local-command-stderr', 'local-command-caveat', 'user-prompt-submit-hook'],
];

/**
 * Those, and the labels of what came with a prompt. Not here: labels of one plain word (`file`, `memory`), which code and
 * pages are full of; within a label they are escaped too (`knowledge/label.ts`).
 */
export const harnessTags: readonly string[] = [...noticeTags, 'piped-input', 'git-status'];

/** Makes text that is not the harness's own unable to open or close a notification. */
export function escapeHarnessTags(text: string): string {
  return escapeTags([text], harnessTags)[0] ?? text;
}

/** The same for texts that are read one after another. */
export function escapeHarnessBlocks<Block extends { type: string }>(blocks: readonly Block[]): Block[] {
  return escapeBlocks(blocks, harnessTags);
}

/** The same for a prompt, with what came along with it: that has its label already, and was escaped within. */
export function escapeNoticeBlocks<Block extends { type: string }>(blocks: readonly Block[]): Block[] {
  return escapeBlocks(blocks, noticeTags);
}

function escapeBlocks<Block extends { type: string }>(
  blocks: readonly Block[],
  tags: readonly string[],
): Block[] {
  const texts = blocks.map((block) => readBlockText(block));
  const escaped = escapeTags(texts, tags);
  return blocks.map((block, index) =>
    escaped[index] === texts[index] ? block : { ...block, text: escaped[index] },
  );
}

/** What the harness tells an agent in the conversation. Text that is not its own is escaped before. */
export function remind(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

function readBlockText(block: object): string {
  return 'text' in block && typeof block.text === 'string' ? block.text : '';
}
