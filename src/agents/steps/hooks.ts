import { ok } from '../../lib/result.ts';
import type { AgentContext } from '../../loop/agent-context.ts';
import { describeHookPlace } from '../../loop/hook-place.ts';
import { goesOn } from '../../loop/until-stopped.ts';
import type { Hooks, Outcome } from '../../protocol/index.ts';
import type { AgentDefinition } from '../definition.ts';
import type { AgentStep } from '../kernel.ts';
import { formatType } from '../spec.ts';

/** Whose hooks are wanted. */
export interface HookOwner {
  id: string;
  type: string;
  parentToolUseId: string;
  definition?: AgentDefinition | undefined;
}

/** The session's hooks and those of the definition. A fork has no definition, hence none of its own. */
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

/** Tells an agent's hooks of its start and, exactly once, of its end, however that comes about. */
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

  /** Whether hooks have something for it to do yet. When they have not, they have heard of its end. */
  async goesOn(outcome: Outcome): Promise<boolean> {
    this.#said = outcome.text;
    if (outcome.kind !== 'completed' || this.agent.signal.aborted) return false;
    if (await goesOn(this.agent, outcome, this.#round++)) return true;
    this.#state = 'stopped';
    return false;
  }

  /** The last that is heard of it. Its own signal has fired by now, as a rule. */
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
