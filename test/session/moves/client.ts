import { systemClock } from '../../../src/lib/clock.ts';
import type { Engine } from '../../../src/remote/engine.ts';
import { attachMoved } from '../../../src/session/attached/attach-moved.ts';
import type { AttachedSession } from '../../../src/session/attached/attached-session.ts';
import { listMoves } from '../../../src/session/moves/move-index.ts';
import { get } from '../../remote/support.ts';
import type { Home } from './ground.ts';

/** Looks at a session on a worker, with the user's key. */
export async function attachTo(
  home: Pick<Home, 'at' | 'key'>,
  engine: Engine,
  id: string,
): Promise<AttachedSession> {
  const entry = get(await listMoves(engine, home.key)).find(({ session }) => session === id);
  if (!entry) throw new Error('it is not on a worker');
  const wish = { engine, session: id, job: entry.job };
  return get(await attachMoved({ home: home.at.home, clock: systemClock }, wish, {}));
}

export async function openMovedClient(home: Home, engine: Engine, id: string) {
  const session = await attachTo(home, engine, id);
  session.events();
  return { send: session.command.bind(session), close: () => void session.close() };
}
