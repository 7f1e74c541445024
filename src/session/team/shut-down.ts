import { leaderName } from '../../protocol/index.ts';
import type { SessionCrew } from './crew.ts';
import type { SessionPanes } from './panes.ts';

/** After its own deadline a member of another process has this long until it is ended from here. */
const graceMs = 5_000;

export interface ShutdownWish {
  force: boolean;
  signal: AbortSignal;
}

/** Ends all members but the leader. Returns their names, and why some go on. */
export async function shutDownAll(
  crew: SessionCrew,
  panes: SessionPanes,
  wish: ShutdownWish,
): Promise<{ names: string[]; refused: string[] }> {
  const { members } = crew.office;
  const names = members
    .list()
    .flatMap(({ name }) => (name !== leaderName && members.isAlive(name) ? [name] : []));
  const ends = await Promise.all(names.map((name) => shutDown(crew, panes, name, wish)));
  return { names, refused: ends.flatMap((end, at) => (end === undefined ? [] : [`${names[at]}: ${end}`])) };
}

/** Undefined when it has ended; else why it goes on. */
async function shutDown(
  crew: SessionCrew,
  panes: SessionPanes,
  name: string,
  { force, signal }: ShutdownWish,
): Promise<string | undefined> {
  const teammate = crew.teammates.get(name);
  const task = teammate?.agentId === undefined ? undefined : crew.agents.tasks.find(teammate.agentId);
  const ended = crew.awaitShutdown(name);
  if (force && teammate) teammate.force();
  else if (force) return panes.kill(name);
  else {
    const toIncarnation = crew.office.members.findIncarnation(name) ?? '';
    const draft = { to: name, toIncarnation, kind: 'shutdown_request' as const, text: 'the team ends' };
    const asked = await crew.office.send(crew.own, draft);
    if (!asked.ok) return asked.problem.message;
  }
  const stop = Promise.withResolvers<string>();
  const interrupt = () => stop.resolve('you were interrupted');
  signal.addEventListener('abort', interrupt, { once: true });
  const cancel = crew.clock.after(crew.shutdownSeconds * 1000 + graceMs, () => stop.resolve('late'));
  const end = await Promise.race([ended, stop.promise]);
  cancel();
  signal.removeEventListener('abort', interrupt);
  if (end === 'late') return panes.kill(name);
  if (typeof end === 'string') return end;
  if (!end.ended) return end.reason;
  await task?.result();
  // Its process may take a moment to leave its pane.
  return teammate ? undefined : panes.waitForEnd(name);
}
