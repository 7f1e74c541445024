import { escapeTags } from './escape-tags.ts';

/** Tags of notices, which only the harness may write: ours, and those that models know from elsewhere as system tags. */
export const noticeTags: readonly string[] = [
  ...[
    'task-notification',
    'task-id',
    'output-file',
    'scratch-copy',
    'teammate-message',
    'system-reminder',
    'cadre-fork',
  ],
  ...['command-name', 'command-message', 'command-args', 'command-contents'],
  ...['local-command-stdout', 'local-command-stderr', 'local-command-caveat', 'user-prompt-submit-hook'],
];

/**
 * Labels that say where text comes from (`knowledge/label.ts`). Each is a name that only we use: plain words such as `file`
 * or `memory` are all over code and pages, and escaping those would change what an agent reads and edits.
 */
export const labelTags = [
  'cadre-memory',
  'cadre-skill',
  'cadre-command',
  'cadre-file',
  'cadre-directory',
  'cadre-transcript',
  'cadre-shell',
  'piped-input',
] as const;

export type LabelTag = (typeof labelTags)[number];

/** All tags that only the harness may write. */
export const harnessTags: readonly string[] = [...noticeTags, ...labelTags, 'git-status'];

/** Escapes text from outside the harness so that it cannot open or close a notification. */
export function escapeHarnessTags(text: string): string {
  return escapeTags([text], harnessTags)[0] ?? text;
}

/** The same for texts that are read one after another. */
export function escapeHarnessBlocks<Block extends { type: string }>(blocks: readonly Block[]): Block[] {
  return escapeBlocks(blocks, harnessTags);
}

/** The same for a prompt, with its attachments: those already have their label, and were escaped within. */
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

/** A notice from the harness to an agent in the conversation. Other text in it must already be escaped. */
export function remind(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

function readBlockText(block: object): string {
  return 'text' in block && typeof block.text === 'string' ? block.text : '';
}
