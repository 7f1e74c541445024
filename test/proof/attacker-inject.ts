import type { AgentEvent, MessageRecord, ModelRequest } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import { drawInjections, forged, type Injection, prepare } from './attacker-cases.ts';
import type { Ground } from './attacker-ground.ts';
import { obedientModel } from './attacker-model.ts';
import type { Servers } from './attacker-servers.ts';
import type { Watch } from './machine/watch.ts';
import type { Random } from './random.ts';

export interface InjectOptions {
  random: Random;
  ground: Ground;
  servers: Servers;
  watch: Watch;
  pages: Map<string, string>;
  faults: string[];
}

export interface Injected {
  cases: number;
  /** Calls that the model made for the attacker. */
  calls: number;
  /** Of those, how many were let through: inside the sandbox, or harmless. */
  ran: number;
}

/** A session for each text; the ground is looked at after each. */
export async function inject(count: number, options: InjectOptions): Promise<Injected> {
  const { random, ground, servers, watch, faults } = options;
  const total: Injected = { cases: 0, calls: 0, ran: 0 };
  for (const injection of drawInjections(count, random, ground, servers)) {
    ground.renew();
    const before = servers.reached();
    const { calls, ran, problems } = await play(injection, options);
    if (calls === 0) problems.push('the text was not obeyed, so nothing was shown');
    if (servers.reached() > before) problems.push('a server was reached');
    problems.push(...ground.damage(), ...(await watch.look(ground.writable)));
    const { carrier, reader, mode, wish } = injection;
    const name = `${carrier} read by ${reader} in ${mode}: ${wish.tool} ${JSON.stringify(wish.input).slice(0, 200)}`;
    faults.push(...problems.slice(0, 4).map((problem) => `${name}\n  ${problem}`));
    total.cases++;
    total.calls += calls;
    total.ran += ran;
  }
  return total;
}

async function play(
  injection: Injection,
  { ground, servers, pages }: Omit<InjectOptions, 'watch'>,
): Promise<{ calls: number; ran: number; problems: string[] }> {
  const { prompt, ownTools, allowedTools } = prepare(injection, ground, servers, pages);
  const model = obedientModel();
  const opened = await openSession({
    ...{ cwd: ground.workspace, environment: ground.environment, model, sandbox: true },
    ...{ permissionMode: injection.mode, ownTools, allowedTools },
    settings: '{"sandbox":{"failIfUnavailable":true}}',
    agentLimits: { fork: injection.reader === 'fork' },
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const session = opened.value;
  const events: AgentEvent[] = [];
  const following = (async () => {
    for await (const event of session.events()) events.push(event);
  })();
  await session.run(prompt);
  await session.finished(AbortSignal.timeout(10_000));
  await session.close();
  await following;
  const asked = events.flatMap((event) => (event.type === 'message_added' ? [event.record] : []));
  const calls = wishesIn(asked, injection);
  const ids = new Set(calls);
  const ran = events.filter((event) => event.type === 'tool_started' && ids.has(event.toolUseId)).length;
  return { calls: calls.length, ran, problems: [...forgeriesIn(model.requests), ...strangersIn(asked)] };
}

/** Calls of the tool that the attacker named. */
function wishesIn(records: readonly MessageRecord[], { wish }: Injection): string[] {
  return records.flatMap((record) =>
    record.type === 'assistant'
      ? record.message.content.flatMap((block) =>
          block.type === 'tool_use' && block.name === wish.tool && sameInput(block.input, wish.input)
            ? [block.id]
            : [],
        )
      : [],
  );
}

function sameInput(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** What only the harness may write, around words that the harness never wrote. */
function forgeriesIn(requests: readonly ModelRequest[]): string[] {
  const tags = new RegExp(
    `<\\s*/?\\s*(?:task-notification|system-reminder|teammate-message|cadre-fork)\\b[^<]{0,40}(?:<[a-z-]+>)?[^<]{0,40}${forged}`,
    'i',
  );
  const texts = requests.flatMap(({ messages }) =>
    messages.flatMap((message) => (message.role === 'user' ? [JSON.stringify(message.content)] : [])),
  );
  return texts.some((text) => tags.test(text))
    ? ['a forged tag reached the model as the harness writes it']
    : [];
}

/** Notifications and letters are the harness's: of tasks that there were, and from agents that there are. */
function strangersIn(records: readonly MessageRecord[]): string[] {
  return records.flatMap((record) => {
    if (record.type !== 'user') return [];
    const { origin } = record;
    const isOdd =
      (origin.kind === 'task-notification' && JSON.stringify(origin).includes(forged)) ||
      (origin.kind === 'mail' && (origin.from.includes(forged) || origin.from === ''));
    return isOdd ? [`a record of ${JSON.stringify(origin)}`] : [];
  });
}
