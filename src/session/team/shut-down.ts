import { leaderName } from '../../protocol/index.ts';
import type { SessionCrew } from './crew.ts';
import type { SessionPanes } from './panes.ts';

/** After its own deadline a member of another process has this long until it is ended from here. */
const graceMs = 5_000;

export interface ShutdownWish {
  force: boolean;
  signal: AbortSignal;
}

/** A member that was stopped, and what it had not finished. */
export interface StoppedMember {
  name: string;
  open: string[];
}

export interface ShutdownOfAll {
  /** Those that shut down themselves. */
  agreed: string[];
  stopped: StoppedMember[];
  /** Why some continue. */
  refused: string[];
}

/** How a member's part in a team ends; or why it continues. */
type MemberShutdown =
  | { how: 'agreed' }
  | { how: 'stopped'; open: string[] }
  | { how: 'refused'; why: string };

/** Ends all members but the leader. */
export async function shutDownAll(
  crew: SessionCrew,
  panes: SessionPanes,
  wish: ShutdownWish,
): Promise<ShutdownOfAll> {
  const { members } = crew.office;
  const names = members
    .list()
    .flatMap(({ name }) => (name !== leaderName && members.isAlive(name) ? [name] : []));
  const done: ShutdownOfAll = { agreed: [], stopped: [], refused: [] };
  const ends = await Promise.all(names.map((name) => shutDown(crew, panes, name, wish)));
  for (const [at, end] of ends.entries()) {
    const name = names[at] ?? '';
    if (end.how === 'agreed') done.agreed.push(name);
    else if (end.how === 'stopped') done.stopped.push({ name, open: end.open });
    else done.refused.push(`${name}: ${end.why}`);
  }
  return done;
}

async function shutDown(
  crew: SessionCrew,
  panes: SessionPanes,
  name: string,
  { force, signal }: ShutdownWish,
): Promise<MemberShutdown> {
  const teammate = crew.teammates.get(name);
  const task = teammate?.agentId === undefined ? undefined : crew.agents.tasks.find(teammate.agentId);
  const open = crew.listOpen(name);
  const kill = async (): Promise<MemberShutdown> => settle(await panes.kill(name), { how: 'stopped', open });
  const ended = crew.awaitShutdown(name);
  if (force && teammate) teammate.force();
  else if (force) return kill();
  else {
    const toIncarnation = crew.office.members.findIncarnation(name) ?? '';
    const draft = { to: name, toIncarnation, kind: 'shutdown_request' as const, text: 'the team ends' };
    const asked = await crew.office.send(crew.own, draft);
    if (!asked.ok) return { how: 'refused', why: asked.problem.message };
  }
  const stop = Promise.withResolvers<string>();
  const interrupt = () => stop.resolve('you were interrupted');
  signal.addEventListener('abort', interrupt, { once: true });
  const cancel = crew.clock.after(crew.shutdownSeconds * 1000 + graceMs, () => stop.resolve('late'));
  const end = await Promise.race([ended, stop.promise]);
  cancel();
  signal.removeEventListener('abort', interrupt);
  if (end === 'late') return kill();
  if (typeof end === 'string') return { how: 'refused', why: end };
  if (!end.ended) return { how: 'refused', why: end.reason };
  await task?.result();
  // One of another process may be gone by now: what it had is known from before.
  const left = end.cut?.length ? end.cut : open;
  const how: MemberShutdown = force || end.cut ? { how: 'stopped', open: left } : { how: 'agreed' };
  // Its process may take a moment to leave its pane.
  return teammate ? how : settle(await panes.waitForEnd(name), how);
}

function settle(problem: string | undefined, how: MemberShutdown): MemberShutdown {
  return problem === undefined ? how : { how: 'refused', why: problem };
}

/** `alice, bob shut down. carol did not shut down in time and was stopped (it was working, item q4xu).` */
export function describeShutdown({ agreed, stopped }: ShutdownOfAll, { force }: ShutdownWish): string {
  const late = force ? 'was stopped' : 'did not shut down in time and was stopped';
  return [
    ...(agreed.length > 0 ? [`${agreed.join(', ')} shut down.`] : []),
    ...stopped.map(({ name, open }) => `${name} ${late}${open.length > 0 ? ` (${open.join(', ')})` : ''}.`),
  ].join(' ');
}
