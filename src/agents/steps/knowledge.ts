import { ok, type Result, usage } from '../../lib/result.ts';
import { escapeHarnessTags, remind } from '../../lib/text/harness-tags.ts';
import type { AgentWorktree } from '../../protocol/index.ts';
import type { AgentDefinition } from '../definition.ts';
import { forkMessages } from '../fork-messages.ts';
import type { AgentStep } from '../kernel.ts';
import type { AgentPlace, AgentRequest, AgentSpec } from '../spec.ts';
import { describePlace } from '../worktrees.ts';

export interface KnowledgeNeeds {
  /** The system prompt of a delegate: its definition's text, the environment, memory unless left out. */
  renderSystem(definition: AgentDefinition, model: string, cwd: string): string[];
  /** The git status of a directory, for the end of a delegate's system prompt; undefined if it is left out. */
  readGitStatus(definition: AgentDefinition, cwd: string): Promise<string | undefined>;
}

/** Its initial knowledge: its prompt and its messages. */
export function knowledgeStep({ renderSystem, readGitStatus }: KnowledgeNeeds): AgentStep {
  return {
    name: 'knowledge',
    async complete(spec) {
      const { definition, earlier, engine, place } = spec;
      if (!definition) return inheritConversation(spec);
      if (earlier) {
        spec.system = [...(earlier.state.system ?? [])];
        spec.conversation.messages = earlier.messages;
        return ok(undefined);
      }
      spec.conversation.content = [{ type: 'text', text: readPrompt(spec.request) }];
      // Its system prompt is written where it runs.
      if (place.runsAt !== 'here') return ok(undefined);
      const gitStatus = await readGitStatus(definition, place.cwd);
      spec.system = [
        ...renderSystem(definition, engine.model.id, place.cwd),
        ...(place.worktree ? [describeSurroundings(place, place.worktree)] : []),
        ...(gitStatus === undefined ? [] : [gitStatus]),
      ];
      return ok(undefined);
    },
  };
}

/** Where it works, and what is missing there. */
function describeSurroundings({ gaps }: AgentPlace, worktree: AgentWorktree): string {
  return [describePlace(worktree), ...gaps].join('\n');
}

function readPrompt({ prompt, isLabelled }: AgentRequest): string {
  return isLabelled ? prompt : escapeHarnessTags(prompt);
}

/** A fork has the parent's whole conversation, at the price of a cache hit. */
function inheritConversation(spec: AgentSpec): Result<void> {
  const { parent, request, earlier, place, conversation } = spec;
  const { context } = parent;
  spec.system = [...(earlier?.state.system ?? context.system)];
  if (earlier) {
    conversation.messages = earlier.messages;
    return ok(undefined);
  }
  const { worktree } = place;
  const directive = worktree
    ? `${remind(escapeHarnessTags(describeSurroundings(place, worktree)))}\n\n${request.prompt}`
    : request.prompt;
  const start = forkMessages(context.conversation.records, request.toolUseId, directive);
  const caller = start?.inherited.at(-1);
  if (!start || !caller) return usage('The conversation of this call was not found, so nothing was forked.');
  spec.conversation = {
    messages: start.inherited,
    content: start.content,
    reminder: undefined,
    inherits: { agentId: context.agentId, messageUuid: caller.uuid },
  };
  return ok(undefined);
}
