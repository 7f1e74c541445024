import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { ConnectionHandler, LocalConnection } from '../lib/local-socket/connection.ts';
import { isBelowMarked } from '../lib/processes/process.ts';
import type { Result } from '../lib/result.ts';
import type { AgentEvent, Command } from '../protocol/index.ts';
import { EventLog, isPiece } from './event-log.ts';
import { type DoorView, encodeEvent } from './frames.ts';
import { type ClientWatch, ServedClient } from './served-client.ts';

const maxClients = 32;
/** A client that says nothing frees its place. */
const maxHelloMs = 10_000;

/** A door's view of its session. */
export interface DoorParts {
  sessionId: string;
  events: { listen(listener: (event: AgentEvent) => void): () => void };
  clock: Clock;
  ids: Ids;
  send(command: Command): Result<void>;
  describe(): DoorView;
}

/** The clients of one session, and the events that they read. It accepts connections, but does not open them. */
export class Door {
  readonly #log: EventLog;
  /** Each with a function that ends the wait for its hello. */
  readonly #clients = new Map<ServedClient, () => void>();
  #stopListening: (() => void) | undefined;

  constructor(private readonly parts: DoorParts) {
    this.#log = new EventLog(parts.ids.token(12));
  }

  accept(connection: LocalConnection): ConnectionHandler {
    const { clock, events, send, describe } = this.parts;
    const client = new ServedClient(connection, { log: this.#log, send, describe }, this.#watch());
    const reason = this.#findReasonToRefuse(connection);
    if (reason !== undefined) {
      client.refuse(reason);
      return client;
    }
    const giveUp = () => client.refuse(`No hello was received within ${maxHelloMs / 1000} s.`);
    this.#clients.set(client, clock.after(maxHelloMs, giveUp));
    // No client can hold a cursor before the first one connected, so nothing is logged until then.
    this.#stopListening ??= events.listen((event) => this.#note(event));
    void import('./read-frame.ts').then(({ readFrame }) => client.begin(readFrame));
    return client;
  }

  close(): void {
    this.#stopListening?.();
    for (const client of [...this.#clients.keys()]) client.dismiss();
  }

  #watch(): ClientWatch {
    return {
      welcomed: (client) => this.#clients.get(client)?.(),
      left: (client) => this.#forget(client),
    };
  }

  /** The modes of the socket and its directory already keep other users out. */
  #findReasonToRefuse(connection: LocalConnection): string | undefined {
    if (this.#clients.size >= maxClients) return `This session already has ${maxClients} clients.`;
    const peer = connection.readPeer();
    if (!peer || peer.pid === process.pid) return undefined;
    if (peer.uid !== process.getuid?.()) return 'This session belongs to another user.';
    // An agent whose command could connect would answer its own questions.
    if (isBelowMarked(peer.pid, this.parts.sessionId))
      return 'A program that this session started cannot connect to it. Use another terminal.';
    return undefined;
  }

  #note(event: AgentEvent): void {
    if (!isPiece(event)) this.#log.add(event);
    let line: Uint8Array | undefined;
    const encode = () => {
      line ??= encodeEvent(event);
      return line;
    };
    for (const client of this.#clients.keys())
      if (isPiece(event)) client.sendPiece(event, encode);
      else client.sendEvents();
  }

  #forget(client: ServedClient): void {
    this.#clients.get(client)?.();
    this.#clients.delete(client);
  }
}
