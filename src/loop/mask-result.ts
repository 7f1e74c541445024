import type { Secrets } from '../lib/secrets/secrets.ts';
import type { Origin, ToolResult, UserBlock } from '../protocol/index.ts';

/** A tool's result without secrets, before it is stored anywhere: transcript and prompt are the same bytes. */
export function maskResult(secrets: Secrets | undefined, result: ToolResult): ToolResult {
  if (!secrets) return result;
  let isChanged = false;
  const content = result.content.map((part) => {
    if (part.type !== 'text') return part;
    const text = secrets.hide(part.text);
    isChanged ||= text !== part.text;
    return text === part.text ? part : { ...part, text };
  });
  // The same result as data for programs: if the text has no secrets, neither has this.
  return isChanged ? { ...result, content, data: secrets.hideIn(result.data) } : result;
}

/** The user's own text stays as it is; text from other sources is masked. Results were masked before. */
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
