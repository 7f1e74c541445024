/** 100,000 children of one parent, at the level of what could keep them: context, abort link, registry, roster, slots. */
import { getEventListeners } from 'node:events';
import { openContext } from '../../src/agents/child-context.ts';
import { linkAbort } from '../../src/lib/abort.ts';
import type { TaskEnd } from '../../src/protocol/index.ts';
import { stage } from '../loop/support.ts';
import { stageAgents, stageSpec } from './stage.ts';

const agents = stageAgents({ publish() {} });
const { agent: parent, controller } = stage([]);
const account = {} as never;
agents.roster.enter(null, { context: parent, account });

await many(20_000);
const before = heap();
await many(100_000);
const bytesEach = (heap() - before) / 100_000;
console.log(
  JSON.stringify({
    bytesEach,
    listeners: getEventListeners(controller.signal, 'abort').length,
    live: agents.roster.size,
  }),
);

async function many(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await oneChild(`a${index.toString(36)}`);
}

async function oneChild(id: string): Promise<void> {
  const own = new AbortController();
  const unlink = linkAbort(controller.signal, own);
  const place = {
    cwd: '/workspace',
    worktree: undefined,
    gaps: [],
    kept: undefined,
    leases: undefined,
    runsAt: 'here',
  };
  const make = openContext(
    agents,
    stageSpec(agents, parent, { id, source: 'fork', background: true, place }),
  );
  agents.roster.enter(id, { context: make(own.signal), account });
  const task = agents.tasks.spawn({
    ...{ kind: 'local_agent', id, description: 'x', owner: null, background: true },
    ready: (signal) => agents.slots.take(id, signal),
    run: async (): Promise<TaskEnd> => ({ status: 'completed', text: 'x'.repeat(100) }),
  });
  await task.result();
  unlink();
  agents.roster.leave(id);
}

function heap(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
}
