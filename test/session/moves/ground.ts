import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import type { AgentEvent, MovedTo } from '../../../src/protocol/index.ts';
import type { Engine } from '../../../src/remote/engine.ts';
import { openJobKey, trustKey } from '../../../src/remote/keys.ts';
import { bringHome } from '../../../src/session/moves/bring-home.ts';
import { listMoves } from '../../../src/session/moves/move-index.ts';
import { openSession } from '../../../src/session/open.ts';
import type { SessionOptions } from '../../../src/session/options.ts';
import type { Session } from '../../../src/session/session.ts';
import { lookAround } from '../../../src/session/surroundings.ts';
import { createLayout } from '../../../src/store/layout.ts';
import { findSession } from '../../../src/store/sessions.ts';
import { scriptedModel, type Turn, type TurnMaker } from '../../../src/testing/index.ts';
import { waitFor } from '../../remote/submitter.ts';
import { get } from '../../remote/support.ts';
import { type Place, place } from '../support.ts';

/** A user's machine with a repository, whose sessions can be moved. */
export function openHome(
  engine: Engine,
  files: Record<string, string> = { 'a.txt': 'one\n' },
  at: Place = place(),
) {
  mkdirSync(at.cwd, { recursive: true });
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: at.cwd,
      encoding: 'utf8',
    });
  run('init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.cwd, name), text);
  run('add', '-A');
  run('commit', '-q', '-m', 'first');
  const key = get(openJobKey(at.home));
  const around = lookAround({ cwd: at.cwd, environment: at.environment, clock: systemClock });
  return {
    at,
    run,
    key,
    around,
    trust: (name: string) => get(trustKey(at.home, name, '')),
    async open(turns: readonly Turn[] | TurnMaker, options: SessionOptions = {}) {
      const model = scriptedModel(turns);
      const opened = await openSession({
        ...{ cwd: at.cwd, environment: at.environment, model, sandbox: false, permissionMode: 'acceptEdits' },
        ...{ engine, attended: true, settings: '{"agents":{"askAboveAgents":1000}}' },
        ...options,
      });
      return { session: get(opened), model };
    },
    async bring(sessionId: string, patienceMs = 20_000) {
      const session = get(await findSession(createLayout(at.home), sessionId));
      const listed = get(await listMoves(engine, key)).find((entry) => entry.session === sessionId);
      if (!listed) throw new Error('it was not moved');
      return bringHome(around, { engine, key, job: listed.job, session, patienceMs });
    },
  };
}

export type Home = ReturnType<typeof openHome>;

export function watch(session: Pick<Session, 'events'>): AgentEvent[] {
  const seen: AgentEvent[] = [];
  const events = session.events();
  void (async () => {
    for await (const event of events) seen.push(event);
  })();
  return seen;
}

/** Moves a session, and closes what is left of it here. */
export async function moveAway(session: Session, to = 'any'): Promise<MovedTo> {
  const seen = watch(session);
  get(session.send({ type: 'move', engine: 'the own one', to }));
  const moved = await waitFor(() => seen.find((event) => event.type === 'session_moved'));
  await session.close();
  if (moved.type !== 'session_moved' || !moved.to) throw new Error(JSON.stringify(moved));
  return moved.to;
}
