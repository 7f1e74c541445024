import type { AgentKernel } from '../../src/agents/kernel.ts';
import { type LiveAgent, Roster } from '../../src/agents/roster.ts';
import { here } from '../../src/agents/run-agent.ts';
import { Slots } from '../../src/agents/slots.ts';
import { type AgentRequest, type AgentSpec, draftAgent } from '../../src/agents/spec.ts';
import { SkillScopes } from '../../src/knowledge/skill-scope.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { failure, ok } from '../../src/lib/result.ts';
import type { AgentContext } from '../../src/loop/agent-context.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { fillSection } from '../../src/settings/environment.ts';
import { agents } from '../../src/settings/table/agents.ts';
import { Tasks } from '../../src/tasks/tasks.ts';
import { openLeases } from '../../src/workspace/leases.ts';

/** The session as agents see it, without one: nothing is written, nothing is asked. */
export function stageAgents(more: Partial<AgentKernel> = {}): AgentKernel & { events: AgentEvent[] } {
  const clock = manualClock();
  const ids = countedIds();
  const events: AgentEvent[] = [];
  const tasks = new Tasks({
    clock,
    ids,
    outputFile: (id) => `/outputs/${id}`,
    changed() {},
    ended() {},
    evict: () => true,
  });
  return {
    ...{ sessionId: 's', clock, ids, tasks, events },
    settings: fillSection(agents.section, {}, {}),
    definitions: [],
    roster: new Roster(),
    slots: new Slots(20),
    scopes: new SkillScopes(),
    leases: openLeases({ clock }),
    steps: [],
    placements: new Map([['here', here]]),
    tools: () => [],
    records: {
      judgeAgain: async (_, report) => report,
      open: () => ({
        append: () => ok(undefined),
        check: () => ok(undefined),
        synced: () => undefined,
        close() {},
      }),
      load: async (id) => failure(`There is no agent ${id}.`),
      lostLetter: () => ({ delivery: 'steer' as const, content: [], origin: { kind: 'harness' as const } }),
      lateLetter: () => ({ delivery: 'steer', content: [], origin: { kind: 'harness' } }),
    },
    questions: {
      ask: async () => ({ behaviour: 'deny', message: 'nobody is there' }),
      propose: async () => ({ behaviour: 'deny', message: 'nobody is there' }),
      isAsking: () => false,
      isAttended: () => false,
      noteDenial: async () => {},
      noteSkip: async () => ok(undefined),
    },
    publish: (event) => events.push(event),
    notice() {},
    ...more,
  };
}

/** A spec with which an agent could run, below a parent that is only a context. */
export function stageSpec(
  agents: AgentKernel,
  context: AgentContext,
  more: Partial<AgentSpec> = {},
): AgentSpec {
  const parent: LiveAgent = { context, account: {} as never };
  const { id = 'achild' } = more;
  return {
    ...draftAgent({ id, parent, request, settings: agents.settings, log: agents.records.open(id) }),
    ...more,
  };
}

const request: AgentRequest = {
  toolUseId: 'toolu_1',
  description: 'a test',
  prompt: 'Do it.',
  type: undefined,
  background: false,
};
