import type { AgentContext } from '../loop/agent-context.ts';
import { fullAt, nextRequestTokens, windowOf } from '../loop/context-room.ts';
import { describeTools } from '../loop/describe-tools.ts';
import { tokensOfText } from '../loop/tokens.ts';

/** What the next request takes of the model's window. */
export interface ContextReport {
  model: string;
  /** Tokens that the window holds. */
  window: number;
  /** Tokens at which the conversation is compacted by itself; absent where that is switched off. */
  compactsAt?: number;
  used: number;
  /** False while no answer has counted anything: `used` is then an estimate. */
  isMeasured: boolean;
  /** All but `messages` is estimated; what is left of `used` is the messages. */
  parts: { name: ContextPart; tokens: number }[];
}

export type ContextPart = 'system' | 'memory' | 'tools' | 'mcpTools' | 'messages';

export function reportContext(agent: AgentContext): ContextReport {
  const memory = agent.system.filter((part, index) => index > 0 && part.startsWith('# Memory\n'));
  const system = agent.system.filter((part) => !memory.includes(part));
  const isForeign = ({ name }: { name: string }) => name.startsWith('mcp__');
  const tools = describeTools(agent.tools);
  const tokensOf = (some: unknown[]) => (some.length === 0 ? 0 : tokensOfText(JSON.stringify(some)));
  const fixed: ContextReport['parts'] = [
    { name: 'system', tokens: tokensOfText(system.join('')) },
    { name: 'memory', tokens: tokensOfText(memory.join('')) },
    { name: 'tools', tokens: tokensOf(tools.filter((tool) => !isForeign(tool))) },
    { name: 'mcpTools', tokens: tokensOf(tools.filter(isForeign)) },
  ];
  const used = nextRequestTokens(agent);
  const messages = Math.max(0, used - fixed.reduce((sum, { tokens }) => sum + tokens, 0));
  return {
    model: agent.model.id,
    window: windowOf(agent),
    ...(agent.limits.autoCompact === false ? {} : { compactsAt: fullAt(agent) }),
    used,
    isMeasured: agent.conversation.isMeasured,
    parts: [...fixed, { name: 'messages', tokens: messages }],
  };
}
