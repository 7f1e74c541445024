import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import type { Accept, ConnectionHandler, LocalConnection } from '../lib/local-socket/connection.ts';
import { connectLocally } from '../lib/local-socket/local-socket.ts';
import { fail, failure, ok, type Result } from '../lib/result.ts';
import { LineSplitter } from '../lib/split-lines.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { AgentEvent, Command } from '../protocol/index.ts';
import {
  type DoorFrame,
  doorProtocol,
  type EventFrame,
  encodeFrame,
  maxFrameBytes,
  type WantedEvents,
  type WelcomeFrame,
} from './frames.ts';
import { findSocket, type LiveSession } from './socket-place.ts';

/** A program's options for a connection to a session's door. */
export interface DoorWish {
  /** The name of this program. */
  client: string;
  events?: WantedEvents | undefined;
  /** The last cursor of an earlier connection. */
  since?: string | undefined;
  clock: Clock;
  /** How long the session may take to answer; it may be busy or suspended. */
  patienceMs: number;
}

/** Why a connection ended: the session closed, it broke, the client was too slow, or the door refused it. */
export type DoorEnd = { kind: 'closed' | 'lost' } | { kind: 'behind' | 'refused'; message: string };

/** A connection to a live session of the same user on this machine. */
export interface DoorClient {
  readonly welcome: WelcomeFrame;
  /** The cursor of the last event: another connection continues there. */
  readonly cursor: string;
  /** Settles when the session has accepted or refused the command, not when its work is done. */
  send(command: Command): Promise<Result<void>>;
  /** Delivers past and future events, in order, no faster than `take` returns. Called once. */
  follow(take: (event: AgentEvent) => void): void;
  readonly ended: Promise<DoorEnd>;
  close(): void;
}

/** Connects to a session that another process has open. */
export function connectSession(session: LiveSession, wish: DoorWish): Promise<Result<DoorClient>> {
  return connectDoor((accept) => connectLocally(findSocket(session), accept), wish);
}

/** Connects through whatever `connect` opens, and says hello. */
export async function connectDoor(
  connect: (accept: Accept) => Promise<Result<LocalConnection>>,
  wish: DoorWish,
): Promise<Result<DoorClient>> {
  const link = new Link(wish);
  const connected = await connect((connection) => link.begin(connection));
  if (!connected.ok) return connected;
  const cancel = wish.clock.after(wish.patienceMs, () => link.giveUp());
  const first = await Promise.race([link.welcomed, link.ended]);
  cancel();
  if (!('kind' in first)) return ok(link.open(first));
  return 'message' in first
    ? failure(first.message)
    : failure(
        `The session did not answer within ${wish.patienceMs / 1000} s.`,
        'It may be busy, suspended or closing.',
      );
}

/** Events that wait for a follower. */
const maxHeld = 1_000;

class Link implements ConnectionHandler {
  readonly #welcomed = Promise.withResolvers<WelcomeFrame>();
  readonly #ended = Promise.withResolvers<DoorEnd>();
  readonly #lines = new LineSplitter(maxFrameBytes);
  /** Commands that have no reply yet. */
  readonly #asked = new Map<string, (taken: Result<void>) => void>();
  #connection: LocalConnection | undefined;
  #count = 0;
  #cursor = '';
  /** Events that came before there was a follower. */
  #held: EventFrame[] = [];
  #follower: ((event: AgentEvent) => void) | undefined;

  constructor(private readonly wish: DoorWish) {}

  get welcomed(): Promise<WelcomeFrame> {
    return this.#welcomed.promise;
  }

  get ended(): Promise<DoorEnd> {
    return this.#ended.promise;
  }

  begin(connection: LocalConnection): ConnectionHandler {
    this.#connection = connection;
    const { client, events, since } = this.wish;
    connection.write(encodeFrame({ type: 'hello', protocol: doorProtocol, client, events, since }));
    return this;
  }

  open(welcome: WelcomeFrame): DoorClient {
    const link = this;
    return {
      welcome,
      get cursor() {
        return link.#cursor;
      },
      send: (command) => this.#send(command),
      follow: (take) => this.#follow(take),
      ended: this.ended,
      close: () => this.#connection?.end(),
    };
  }

  giveUp(): void {
    this.#connection?.destroy();
  }

  data(bytes: Uint8Array): void {
    this.#lines.add(bytes);
    for (let line = this.#lines.take(); line !== undefined; line = this.#lines.take()) {
      const frame = line === 'too long' ? undefined : readFrame(line);
      if (frame) this.#take(frame);
      else this.#leave('refused', 'The session sent a line that is not a frame of this protocol.');
      if (line === 'too long') return;
    }
  }

  drained(): void {}

  closed(): void {
    this.#ended.resolve({ kind: 'lost' });
    const gone = failure('The session closed the connection before it replied.');
    for (const settle of this.#asked.values()) settle(gone);
    this.#asked.clear();
  }

  #send(command: Command): Promise<Result<void>> {
    const id = String(++this.#count);
    const { promise, resolve } = Promise.withResolvers<Result<void>>();
    this.#asked.set(id, resolve);
    this.#connection?.write(encodeFrame({ type: 'command', id, command }));
    // No more replies will come: `ended` settles before this does.
    void this.ended.then(() => resolve(failure('The connection to the session is closed.')));
    return promise;
  }

  #take(frame: DoorFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.#cursor = frame.cursor;
        this.#welcomed.resolve(frame);
        break;
      case 'event':
        if (this.#follower) this.#hand(frame);
        else this.#hold(frame);
        break;
      case 'reply':
        this.#asked.get(frame.id)?.(frame.problem ? fail(frame.problem) : ok(undefined));
        this.#asked.delete(frame.id);
        break;
      case 'error':
        if (frame.kind === 'line') this.#refuseAll(visibleLine(frame.message, 500));
        else this.#leave(frame.kind, visibleLine(frame.message, 500));
        break;
      case 'bye':
        this.#ended.resolve({ kind: 'closed' });
    }
  }

  /** A session of another version does not know a command, and so not whose it was. */
  #refuseAll(message: string): void {
    for (const settle of this.#asked.values()) settle(failure(`The session refused it: ${message}`));
    this.#asked.clear();
  }

  /** The sender waits if there are many: it sends no more than this side reads. */
  #hold(frame: EventFrame): void {
    this.#held.push(frame);
    if (this.#held.length >= maxHeld) this.#connection?.pause();
  }

  #follow(take: (event: AgentEvent) => void): void {
    this.#follower = take;
    for (const frame of this.#held.splice(0)) this.#hand(frame);
    this.#connection?.resume();
  }

  #hand({ cursor, event }: EventFrame): void {
    this.#cursor = cursor ?? this.#cursor;
    this.#follower?.(event);
  }

  #leave(kind: 'behind' | 'refused', message: string): void {
    this.#ended.resolve({ kind, message });
    this.#connection?.destroy();
  }
}

/** The session is of the same user, but may be a later version: unknown kinds are ignored. */
function readFrame(line: Uint8Array): DoorFrame | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(line).toString());
    return isRecord(value) && typeof value.type === 'string' ? (value as unknown as DoorFrame) : undefined;
  } catch {
    return undefined;
  }
}
