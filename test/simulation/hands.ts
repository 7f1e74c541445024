import { z } from 'zod';
import { sleep } from '../../src/lib/clock.ts';
import type { ModelEvent, ModelRequest, TaskEnd } from '../../src/protocol/index.ts';
import { defineTool, type Model, type Tool, textResult, toolUses } from '../../src/protocol/index.ts';
import { call, calls, say, scriptedModel } from '../../src/testing/index.ts';
import type { SimulatedProcess } from './process.ts';

/** The model of a simulated process: it answers by chance, later, and complains about requests that a provider would refuse. */
export function simulatedModel(process: SimulatedProcess): Model {
  const { random } = process.world.scheduler;
  const model = scriptedModel(async (request) => {
    const wrong = findWrongOrder(request);
    if (wrong) process.world.ledger.fault('I2', `${process.name} asked with ${wrong}`);
    await sleep(process.clock, random.below(300));
    const dice = random.below(100);
    const effect = () => call('Effect', { ms: random.below(200) }, process.ids.token(8));
    if (dice < 20) return effect();
    if (dice < 30) return calls([effect(), call('Look', {}, process.ids.token(8)), effect()]);
    if (dice < 42) return call('Start', { ms: random.below(3_000) }, process.ids.token(8));
    if (dice < 50) return call('Wait', { ms: random.below(1_000) }, process.ids.token(8));
    if (dice < 55) return call('Stop', {}, process.ids.token(8));
    return say('Done.');
  });
  return {
    ...model,
    stream: (request, signal) => waitForLimit(process, () => model.stream(request, signal), signal),
  };
}

/** Now and then a limit comes first, and suspends the lead for longer than many a process lives. */
async function* waitForLimit(
  process: SimulatedProcess,
  answer: () => AsyncIterable<ModelEvent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { world, clock } = process;
  const { random } = world.scheduler;
  if (!world.isCalm && random.below(12) === 0) {
    const delayMs = random.below(8_000);
    const reason = 'The limit is used up.';
    process.note(`suspended for ${delayMs} ms`);
    yield {
      type: 'request_waited',
      reason,
      delayMs,
      suspended: { model: 'simulated', until: clock.now() + delayMs, reason },
    };
    await sleep(clock, delayMs, signal);
    yield { type: 'request_waited', reason, delayMs: 0, isOver: true };
  }
  yield* answer();
}

/** Every call has its result in the next message, and no result is without its call. */
function findWrongOrder({ messages }: ModelRequest): string | undefined {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      const wanted = toolUses(message).map(({ id }) => id);
      const next = messages[index + 1];
      const found = next?.role === 'user' ? listResults(next) : [];
      const missing = wanted.filter((id) => !found.includes(id));
      if (missing.length > 0) return `calls without results: ${missing.join(' ')}`;
      continue;
    }
    const before = messages[index - 1];
    const known = before?.role === 'assistant' ? toolUses(before).map(({ id }) => id) : [];
    const odd = listResults(message).filter((id) => !known.includes(id));
    if (odd.length > 0) return `results without calls: ${odd.join(' ')}`;
  }
  return undefined;
}

function listResults(message: ModelRequest['messages'][number]): string[] {
  return message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

/** Tools whose effects the ledger counts, and which start tasks. */
export function simulatedTools(process: SimulatedProcess): Tool[] {
  const { ledger } = process.world;
  const timed = z.strictObject({ ms: z.number() });
  const nothing = z.strictObject({});
  return [
    tool('Effect', timed, false, async ({ ms }, { toolUseId, signal }) => {
      if (process.isActive) {
        process.note(`effect of ${toolUseId}`);
        ledger.effect(process.name, toolUseId);
      }
      await sleep(process.clock, ms, signal);
      return 'made';
    }),
    tool('Look', nothing, true, async () => 'seen'),
    tool('Start', timed, false, async ({ ms }, context) => {
      const handle = context.tasks.spawn({
        ...makeTask(process, ms),
        background: true,
        toolUseId: context.toolUseId,
      });
      return `started ${handle.id}`;
    }),
    tool('Wait', timed, false, async ({ ms }, context) => {
      const handle = context.tasks.spawn({
        ...makeTask(process, ms),
        background: false,
        toolUseId: context.toolUseId,
      });
      const stop = () => void handle.kill('interrupted', 'agent');
      context.signal.addEventListener('abort', stop, { once: true });
      const end = await handle.result();
      return `${end.status}: ${end.text}`;
    }),
    tool('Stop', nothing, false, async (_, { tasks }) => {
      const [task] = tasks.running?.() ?? [];
      if (!task) return 'nothing runs';
      ledger.stopped(task.runId);
      await tasks.find(task.id)?.kill('not needed', 'agent');
      return `stopped ${task.id}`;
    }),
  ];
}

/** Some of them pay no attention when they are stopped, and end by themselves. Some are agents, which a later process can continue. */
export function makeTask(process: SimulatedProcess, ms: number, isAgent?: true) {
  const { random } = process.world.scheduler;
  const isDeaf = random.below(4) === 0;
  const kind = isAgent || random.below(2) === 0 ? ('local_agent' as const) : ('local_bash' as const);
  return {
    kind,
    description: `work for ${ms} ms`,
    owner: null,
    async run({ runId, signal }: { runId: string; signal: AbortSignal }): Promise<TaskEnd> {
      await sleep(process.clock, ms, isDeaf ? undefined : signal);
      return { status: 'completed', text: `result of ${runId}` };
    },
  };
}

type Run<Input> = (input: Input, context: Parameters<Tool['run']>[1]) => Promise<string>;

function tool<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  isHarmless: boolean,
  run: Run<z.output<Schema>>,
): Tool {
  return defineTool({
    ...{ name, schema, description: `${name}, simulated` },
    access: () => [{ kind: 'none' }],
    concurrent: () => isHarmless,
    summary: () => name,
    // biome-ignore lint/correctness/useYield: nothing to report on the way.
    async *run(input: z.output<Schema>, context: Parameters<Tool['run']>[1]) {
      return textResult(await run(input, context));
    },
  }) as unknown as Tool;
}
