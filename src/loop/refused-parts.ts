import type { Message, ModelFailure, ToolSpec } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { describeTools } from './describe-tools.ts';

/**
 * Leaves out the part of a request that the provider says it cannot take: one tool, or the images and documents of one message. Else
 * every further request of the session would be refused for it. Returns a sentence for the user; undefined if the
 * refusal names no such part.
 */
export function leaveOutRefused(agent: AgentContext, failure: ModelFailure): string | undefined {
  if (failure.kind !== 'invalid_request') return undefined;
  const { conversation, model } = agent;
  const tool = findRefusedTool(failure.message, listSentTools(agent));
  if (tool !== undefined) {
    conversation.leaveOutTool(tool);
    return `${model.id} refused the tool ${tool}, so it is not used in this conversation. ${failure.message}`;
  }
  if (!isAboutFile(failure.message)) return undefined;
  const at = findFiles(conversation.messages, failure.message);
  if (at === undefined) return undefined;
  conversation.leaveOutFiles(at, leftOutNote);
  return `${model.id} cannot process an image or a document, so it was removed from this conversation. ${failure.message}`;
}

/** The tools that are described to the model. */
export function listSentTools({ tools, conversation }: AgentContext): ToolSpec[] {
  return describeTools(tools).filter(({ name }) => !conversation.isLeftOut(name));
}

const leftOutNote =
  '[An image or a document was here. It was removed because the provider could not process it.]';

/** Providers name the tool, or its place in the list; only where they speak of a definition at all. */
function findRefusedTool(message: string, tools: readonly ToolSpec[]): string | undefined {
  const [, place] =
    /function_?declarations\[(\d+)\]/i.exec(message) ?? /\btools(?:\.|\[)(\d+)/.exec(message) ?? [];
  if (place !== undefined) return tools[Number(place)]?.name;
  if (!/schema|function|parameters/i.test(message)) return undefined;
  return tools.find(({ name }) =>
    [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => message.includes(quoted)),
  )?.name;
}

function isAboutFile(message: string): boolean {
  return (
    /image|document|pdf|\bfiles?\b/i.test(message) &&
    /process|invalid|support|decode|dimension|size|large|format|media.type/i.test(message)
  );
}

/** Where the provider says, else the latest: what was sent last is what had not been refused before. */
function findFiles(messages: readonly Message[], said: string): number | undefined {
  const [, place] = /messages(?:\.|\[)(\d+)/.exec(said) ?? [];
  if (place !== undefined && hasFiles(messages[Number(place)])) return Number(place);
  const latest = messages.findLastIndex(hasFiles);
  return latest < 0 ? undefined : latest;
}

function hasFiles(message: Message | undefined): boolean {
  if (message?.role !== 'user') return false;
  return message.content.some(
    (block) =>
      block.type === 'image' ||
      block.type === 'document' ||
      (block.type === 'tool_result' && block.content.some(({ type }) => type === 'image')),
  );
}
