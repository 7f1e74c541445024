import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { openJobKey } from '../../remote/keys.ts';
import { checkEngine } from '../../session/attached/connect-moved.ts';
import { connectOwner } from '../../session/attached/connect-owner.ts';
import { listLive, pickLive } from '../../session/attached/find-live.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { findSession, type SessionSummary } from '../../store/sessions.ts';
import type { FlagsOf } from '../table/commands.ts';
import { warnOfPassword } from '../worker/engine-address.ts';
import { type OwnEngine, ownEngine } from '../worker/own-engine.ts';

const patienceMs = 15_000;
/** A worker may wait for a call, and another one for the lease of a worker that is gone. */
const recallMs = 75_000;

/** `cadre move SESSION --to WORKER|here`. */
export async function moveSession(word: string, flags: FlagsOf<'move'>): Promise<Result<string>> {
  const io = processIo();
  warnOfPassword(flags.engine);
  const around = lookAround({});
  const engine = ownEngine(around, flags.engine);
  try {
    return await move(io, around, engine, word, flags.to);
  } finally {
    await engine.close();
  }
}

async function move(
  io: Io,
  around: Surroundings,
  engine: OwnEngine,
  word: string,
  to: string | undefined,
): Promise<Result<string>> {
  if (to === undefined || to === '')
    return usage('Say where to: --to WORKER, or --to here.', 'cadre workers lists workers and their labels.');
  const live = await pickLive(await listLive(around.layout), word);
  if (!live.ok) return live;
  if (live.value)
    return to === 'here'
      ? usage(`Session ${live.value.id} is here already.`)
      : moveLive(around, engine, live.value.id, to);
  const stored = await findSession(around.layout, word);
  if (!stored.ok) return stored;
  const { id, movedTo } = stored.value;
  if (to === 'here')
    return movedTo ? bringBack(io, around, engine, stored.value) : usage(`Session ${id} is here already.`);
  if (movedTo)
    return usage(
      `Session ${id} runs on the worker ${movedTo.name}.`,
      `Bring it here first: cadre move ${id} --to here.`,
    );
  return moveStored(engine, id, to);
}

/** The process that has it moves it: it stops there at the next step. */
async function moveLive(
  around: Surroundings,
  engine: OwnEngine,
  id: string,
  to: string,
): Promise<Result<string>> {
  const address = await engine.address();
  if (!address.ok) return address;
  const wish = { client: 'cadre move', events: ['session_moved'] as const, patienceMs };
  const client = await connectOwner(around.home, id, wish);
  if (!client.ok) return client;
  const moved = Promise.withResolvers<AgentEvent>();
  client.value.follow(moved.resolve);
  const begun = await client.value.send({ type: 'move', engine: address.value, to });
  if (!begun.ok) return begun;
  const end = await Promise.race([moved.promise, client.value.ended]);
  client.value.close();
  return 'type' in end ? describeMoved(id, end) : usage('The session ended before it was moved.');
}

/** No process has it: it is opened here for as long as that takes. */
async function moveStored(engine: OwnEngine, id: string, to: string): Promise<Result<string>> {
  const address = await engine.address();
  if (!address.ok) return address;
  const { openSession } = await import('../../session/open.ts');
  const opened = await openSession({ resume: { from: 'id', id, inOwnDirectory: true } });
  if (!opened.ok) return opened;
  const session = opened.value;
  const events = session.events();
  const begun = session.send({ type: 'move', engine: address.value, to });
  let end: Result<string> = begun.ok ? usage('The session ended before it was moved.') : begun;
  if (begun.ok)
    for await (const event of events)
      if (event.type === 'session_moved') {
        end = describeMoved(id, event);
        break;
      }
  await session.close();
  return end;
}

function describeMoved(id: string, event: AgentEvent): Result<string> {
  if (event.type !== 'session_moved' || !event.to)
    return usage(
      `The session was not moved. ${'problem' in event ? event.problem : ''}`,
      `If it has stopped, continue it: cadre --resume ${id}`,
    );
  return ok(
    `Moved to ${event.to.name} (${event.to.engine}). Look at it and steer it: cadre attach ${id}. Bring it back: cadre move ${id} --to here.\n`,
  );
}

async function bringBack(
  io: Io,
  around: Surroundings,
  own: OwnEngine,
  session: SessionSummary,
): Promise<Result<string>> {
  const { id, movedTo: job } = session;
  const engine = await own.open();
  if (!engine.ok || !job) return engine.ok ? usage(`Session ${id} is here already.`) : engine;
  const right = checkEngine(engine.value, job.engine);
  if (!right.ok) return right;
  const key = openJobKey(around.home);
  if (!key.ok) return key;
  io.writeErr(`Waiting for the next step of session ${id} on ${job.name} …\n`);
  const { bringHome } = await import('../../session/moves/bring-home.ts');
  const wish = { engine: engine.value, key: key.value, job, session, patienceMs: recallMs };
  const back = await bringHome(around, wish);
  if (!back.ok) return back;
  const files =
    back.value.kind === 'checkout'
      ? 'Its files are in the checkout.'
      : `The checkout was changed meanwhile and stays as it is: its files are in the worktree ${back.value.slug} (${back.value.path}).`;
  return ok(`It is here again. ${files} Continue it: cadre --resume ${id}\n`);
}
