import { ok } from '../../lib/result.ts';
import type { AgentContext } from '../../loop/agent-context.ts';
import { describeHookPlace } from '../../loop/hook-place.ts';
import { goesOn } from '../../loop/until-stopped.ts';
import type { Hooks, Outcome } from '../../protocol/index.ts';
import type { AgentDefinition } from '../definition.ts';
import type { AgentStep } from '../kernel.ts';
import { formatType } from '../spec.ts';

/** The agent whose hooks are wanted. */
export interface HookOwner {
  id: string;
  type: string;
  parentToolUseId: string;
  definition?: AgentDefinition | undefined;
}

/** The session's hooks and those of the definition. A fork has no definition, so it has no hooks of its own. */
export function hookStep(findHooks: (agent: HookOwner) => Hooks | undefined): AgentStep {
  return {
    name: 'hooks',
    complete(spec) {
      const { id, request, definition } = spec;
      const parentToolUseId = request.toolUseId;
      spec.hooks = findHooks({ id, type: formatType(spec), parentToolUseId, definition });
      return ok(undefined);
    },
  };
}

/** Informs an agent's hooks of its start and, exactly once, of its end, however it ends. */
export class AgentHooks {
  #state: 'new' | 'started' | 'stopped' = 'new';
  #round = 0;
  #said = '';

  constructor(private readonly agent: AgentContext) {}

  async start(): Promise<void> {
    const { hooks, inbox } = this.agent;
    this.#state = 'started';
    const notes = (await hooks?.agentStarted?.(describeHookPlace(this.agent))) ?? [];
    const content = notes.map((text) => ({ type: 'text' as const, text }));
    if (content.length > 0) inbox.post({ delivery: 'steer', content, origin: { kind: 'harness' } });
  }

  /** Whether hooks have more work for it. If not, they have heard of its end. */
  async goesOn(outcome: Outcome): Promise<boolean> {
    this.#said = outcome.text;
    if (outcome.kind !== 'completed' || this.agent.signal.aborted) return false;
    if (await goesOn(this.agent, outcome, this.#round++)) return true;
    this.#state = 'stopped';
    return false;
  }

  /** The last event of the agent. Its own signal has usually fired by now. */
  async end(): Promise<void> {
    const { hooks } = this.agent;
    if (this.#state === 'started') {
      this.#state = 'stopped';
      const place = { ...describeHookPlace(this.agent), signal: new AbortController().signal };
      await hooks?.agentStopping?.({ lastMessage: this.#said, round: this.#round, isForced: true }, place);
    }
    hooks?.close?.();
  }
}
