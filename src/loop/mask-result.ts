import type { Secrets } from '../lib/secrets/secrets.ts';
import type { Origin, ToolResult, UserBlock } from '../protocol/index.ts';

/** A tool's result without secrets, before anything keeps it: transcript and prompt are the same bytes. */
export function maskResult(secrets: Secrets | undefined, result: ToolResult): ToolResult {
  if (!secrets) return result;
  let isChanged = false;
  const content = result.content.map((part) => {
    if (part.type !== 'text') return part;
    const text = secrets.hide(part.text);
    isChanged ||= text !== part.text;
    return text === part.text ? part : { ...part, text };
  });
  // For programs the same is said in another shape: where the text holds nothing it does not either.
  return isChanged ? { ...result, content, data: secrets.hideIn(result.data) } : result;
}

/** What the user typed is theirs and stays as it is; what others bring in does not. Results were masked before. */
export function maskMessage(
  secrets: Secrets | undefined,
  content: UserBlock[],
  { kind }: Origin,
): UserBlock[] {
  if (!secrets || kind === 'human' || kind === 'tool-results') return content;
  return content.map((block) =>
    block.type === 'text' ? { ...block, text: secrets.hide(block.text) } : block,
  );
}
