import { Roster } from '../../src/agents/roster.ts';
import type { AgentServices } from '../../src/agents/services.ts';
import { Slots } from '../../src/agents/slots.ts';
import { SkillScopes } from '../../src/knowledge/skill-scope.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { failure, ok } from '../../src/lib/result.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { fillSection } from '../../src/settings/environment.ts';
import { agents } from '../../src/settings/table/agents.ts';
import { Tasks } from '../../src/tasks/tasks.ts';

/** The session as agents see it, without one: nothing is written, nothing is asked. */
export function stageServices(more: Partial<AgentServices> = {}): AgentServices & { events: AgentEvent[] } {
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
    tools: () => [],
    model: (_, parent) => ok(parent),
    account: (parent, agentId, caps) => parent.child(agentId, caps),
    renderSystem: () => [],
    memoryOf: () => undefined,
    scopes: new SkillScopes(),
    openLog: () => ({ append: () => ok(undefined), close() {} }),
    loadAgent: async (id) => failure(`There is no agent ${id}.`),
    lateLetter: () => ({ delivery: 'steer', content: [], origin: { kind: 'harness' } }),
    rules: () => [],
    forgetGrants() {},
    bypassAllowed: false,
    ask: async () => ({ behaviour: 'deny', message: 'nobody is there' }),
    propose: async () => ({ behaviour: 'deny', message: 'nobody is there' }),
    planInstructions: () => '',
    isAsking: () => false,
    noteDenial: async () => {},
    noteSkip: async () => ok(undefined),
    approvedPlans: new Set(),
    planRequests: new Map(),
    planFile: (id) => `/plans/${id}.md`,
    editLeave: new Map(),
    fanOuts: new Map(),
    costSoFar: () => ({ agents: 0, usd: 0 }),
    isInteractive: false,
    publish: (event) => events.push(event),
    streamsChildren: false,
    said: new Set(),
    notice() {},
    ...more,
  };
}
