import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { UserRecord } from '../../src/protocol/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import type { Kernel } from '../../src/session/kernel.ts';
import { call, say, scriptedModel } from '../../src/testing/index.ts';
import type { Choose } from './explore.ts';
import { lookTool } from './look-tool.ts';
import { settle } from './scheduler.ts';
import { openSimulated, type SimulatedSession, soleClaim } from './session.ts';

/** What may come from outside while an agent runs. */
export const comings = {
  queued: ({ commands }: SimulatedSession, text: string) =>
    void commands.send({ type: 'prompt', content: text, uuid: uuidFor(text), delivery: 'queue' }),
  steering: ({ commands }: SimulatedSession, text: string) =>
    void commands.send({ type: 'prompt', content: text, uuid: uuidFor(text), delivery: 'steer' }),
  taskEnd: ({ kernel }: SimulatedSession, text: string) =>
    kernel.inbox.post({
      delivery: 'steer',
      content: [{ type: 'text', text }],
      origin: { kind: 'task-notification', runId: text },
    }),
  interrupt: ({ commands }: SimulatedSession) => void commands.send({ type: 'interrupt' }),
} as const;

export type Coming = keyof typeof comings;

export interface InboxCase {
  /** In this order; each at every moment of the run, up to and after its end. */
  come: readonly Coming[];
  /** Whether the run calls a tool first. */
  withTool: boolean;
  /** A mistake to be found. */
  plant?(kernel: Kernel): void;
}

/** How many promises settle, one after another, from the first prompt of such a run until the agent is idle again. */
export async function measureRun({ withTool }: Pick<InboxCase, 'withTool'>): Promise<number> {
  await warmUp(withTool);
  const session = open({ come: [], withTool });
  comings.queued(session, 'first');
  for (let ticks = 0; ticks < maxTicks; ticks++) {
    if (!session.commands.pump.isBusy) return ticks;
    await null;
  }
  throw new Error(`a run takes more than ${maxTicks} promises, or waits for something outside`);
}

const maxTicks = 5_000;

/** Modules that are loaded on the way are there afterwards: loading waits for the disk. */
async function warmUp(withTool: boolean): Promise<void> {
  const session = open({ come: [], withTool });
  comings.queued(session, 'first');
  await session.commands.pump.settled();
}

/** One order of events: `choose` says after how many promises each comes. Returns the reason if a letter got lost. */
export async function playInbox(
  inboxCase: InboxCase,
  ticks: number,
  choose: Choose,
): Promise<string | undefined> {
  const session = open(inboxCase);
  comings.queued(session, 'first');
  let left = ticks + 2;
  for (const [index, coming] of inboxCase.come.entries()) {
    const wait = choose(left);
    left -= wait;
    for (let tick = 0; tick < wait; tick++) await null;
    comings[coming](session, `letter ${index}`);
  }
  await settle();
  return findLost(session, inboxCase);
}

function open({ withTool, plant }: InboxCase): SimulatedSession {
  let asked = 0;
  const model = scriptedModel(() => (asked++ === 0 && withTool ? call('Look', {}) : say('Done.')));
  return openSimulated({
    ...{
      clock: manualClock(),
      ids: countedIds(),
      machine: systemMachine,
      claim: soleClaim,
      model,
      tools: [lookTool],
    },
    ...{ restored: undefined, persist: false, ...(plant ? { plant } : {}) },
  });
}

function findLost({ kernel, commands, lead }: SimulatedSession, { come }: InboxCase): string | undefined {
  if (commands.pump.isBusy) return 'the agent does not come to rest';
  if (!kernel.inbox.isEmpty()) return 'the agent is idle, and a letter waits';
  const heard = lead.conversation.records
    .filter((record): record is UserRecord => record.type === 'user' && record.origin.kind !== 'harness')
    .map((record) => textOf(record.message.content));
  const letters = heard.filter((text) => text !== '');
  const wanted = [
    'first',
    ...come.flatMap((coming, index) => (coming === 'interrupt' ? [] : [`letter ${index}`])),
  ];
  const lost = wanted.filter((text) => !letters.includes(text));
  if (lost.length > 0) return `never read: ${lost.join(', ')}`;
  return letters.length > wanted.length ? `read twice: ${letters.join(', ')}` : undefined;
}

function uuidFor(text: string): string {
  return `00000000-0000-4000-9000-${Buffer.from(text.padStart(6)).toString('hex').slice(-12).padStart(12, '0')}`;
}
