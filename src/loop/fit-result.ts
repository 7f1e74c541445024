import { escapeHarnessBlocks } from '../lib/text/harness-tags.ts';
import { type ResultContent, textOf } from '../protocol/index.ts';
import { storeLargeResult } from '../store/outputs.ts';
import type { AgentContext } from './agent-context.ts';
import { computeMaxResultBytes } from './context-room.ts';

/**
 * A tool's result is data: it cannot speak as the harness, and it cannot flood the context. A result that is too large
 * for the limits or for the model's window is kept in a file; its two ends and the path enter the conversation.
 */
export function fitResult(
  agent: AgentContext,
  id: string,
  content: readonly ResultContent[],
): ResultContent[] {
  const limit = chooseLimit(agent, textOf(content));
  const fitted = content.map((part, index): ResultContent => {
    if (part.type !== 'text') return part;
    const name = index === 0 ? id : `${id}-${index}`;
    const { text } = storeLargeResult(
      agent.hands.outputs,
      name,
      part.text,
      Math.floor(limit / content.length),
    );
    return { type: 'text', text };
  });
  return escapeHarnessBlocks(fitted);
}

/** Characters for all parts together, each of which has an equal share. Windows are measured in bytes. */
function chooseLimit(agent: AgentContext, text: string): number {
  const most = computeMaxResultBytes(agent);
  const bytes = Buffer.byteLength(text);
  const byWindow = bytes <= most ? Number.POSITIVE_INFINITY : (most * text.length) / bytes;
  const limit = Math.min(agent.limits.maxResultCharacters, byWindow);
  return text.length <= limit ? Number.POSITIVE_INFINITY : limit;
}
