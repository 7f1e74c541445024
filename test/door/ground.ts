import { join } from 'node:path';
import { Door } from '../../src/door/door.ts';
import { connectDoor, type DoorClient, type DoorWish } from '../../src/door/door-client.ts';
import type { DoorFrame } from '../../src/door/frames.ts';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import type { ConnectionHandler, LocalConnection } from '../../src/lib/local-socket/connection.ts';
import { connectLocally, listenLocally } from '../../src/lib/local-socket/local-socket.ts';
import { connectInMemory } from '../../src/lib/local-socket/memory-connection.ts';
import { ok } from '../../src/lib/result.ts';
import type { AgentEvent, Command } from '../../src/protocol/index.ts';
import { SessionEvents } from '../../src/session/events.ts';
import { temporaryDirectory, until } from '../support/index.ts';

const patience = { clock: systemClock, patienceMs: 30_000 };

/** A door without a session: what comes in is kept, and the test publishes the events. */
export function bareDoor() {
  const events = new SessionEvents();
  const clock = manualClock();
  const commands: Command[] = [];
  const door = new Door({
    ...{ sessionId: 'session', events, clock, ids: randomIds },
    send(command) {
      commands.push(command);
      return ok(undefined);
    },
    describe: () => ({
      ...{ sessionId: 'session', cwd: '/work', state: 'idle', model: 'a/b', permissionMode: 'default' },
      ...{ transcript: null, tasks: [], questions: [], isLeadRunning: false, contextWindow: 1 },
      ...{
        cost: { totalMicroUsd: 0, rows: [] },
        effort: { chosen: null, levels: [] },
        commands: [],
        scratchpad: null,
      },
    }),
  });
  const connect = (wish: Partial<DoorWish> = {}) => {
    const accept = (connection: LocalConnection) => door.accept(connection);
    return connectDoor(async (near) => ok(connectInMemory(near, accept)), {
      ...{ client: 'test', ...patience, ...wish },
    });
  };
  return { door, events, clock, commands, connect, raw: () => rawClient(door) };
}

/** A client that says what it likes, and reads only when told to. */
export class RawClient implements ConnectionHandler {
  connection: LocalConnection | undefined;
  readonly frames: DoorFrame[] = [];
  isClosed = false;
  #text = '';

  data(bytes: Uint8Array): void {
    this.#text += Buffer.from(bytes).toString();
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) this.frames.push(JSON.parse(line));
  }

  drained(): void {}

  closed(): void {
    this.isClosed = true;
  }

  write(...lines: (object | string)[]): void {
    for (const line of lines)
      this.connection?.write(Buffer.from(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`));
  }

  /** Resolves with all frames once there are so many. */
  async heard(count: number): Promise<DoorFrame[]> {
    await until(() => this.frames.length >= count);
    return this.frames;
  }
}

function rawClient(door: Door): RawClient {
  const client = new RawClient();
  const near = (connection: LocalConnection) => {
    client.connection = connection;
    return client;
  };
  connectInMemory(near, (connection) => door.accept(connection));
  return client;
}

/** The same through a real socket. */
export async function socketClient(door: Door): Promise<RawClient> {
  const path = join(temporaryDirectory().path, 's');
  await listenLocally(path, (connection) => door.accept(connection));
  const client = new RawClient();
  await connectLocally(path, (connection) => {
    client.connection = connection;
    return client;
  });
  return client;
}

export const hello = { type: 'hello', protocol: 1, client: 'test', events: 'all' };

/** Keeps all events of a client. */
export function collect(client: DoorClient): AgentEvent[] {
  const events: AgentEvent[] = [];
  client.follow((event) => events.push(event));
  return events;
}
