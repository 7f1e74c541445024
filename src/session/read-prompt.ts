import type { UserBlock } from '../protocol/index.ts';
import type { Settled } from './settled.ts';

/** A person's prompt as the agent reads it: commands in full, and what it names with `@path` beside it. */
export async function readPrompt(
  settled: Settled,
  content: UserBlock[],
  signal: AbortSignal,
): Promise<UserBlock[]> {
  const read = await settled.slashCommands.read(content, signal);
  const names = content.some((block) => block.type === 'text' && block.text.includes('@'));
  // A command has read what it names.
  if (!names || read.length > content.length) return read;
  const { attachNamedFiles } = await import('./attach-files.ts');
  return [...read, ...(await attachNamedFiles(settled, content))];
}
