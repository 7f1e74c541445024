import type { ConnectionHandler, LocalConnection } from '../../lib/local-socket/connection.ts';
import { listenLocally } from '../../lib/local-socket/local-socket.ts';
import { isBelowMarked } from '../../lib/process.ts';
import type { AgentEvent, Command } from '../../protocol/index.ts';
import type { SessionCommands } from '../commands.ts';
import type { Kernel } from '../kernel.ts';
import type { Lead } from '../lead/lead.ts';
import type { SessionFeature } from '../opening.ts';
import { EventLog, isPiece } from './event-log.ts';
import { encodeFrame } from './frames.ts';
import { ServedClient } from './served-client.ts';
import { findSocket, sweepSockets } from './socket-place.ts';

const maxClients = 32;
/** A client that says nothing gives its place back. */
const maxHelloMs = 10_000;

/**
 * The door of a live session (SE4): a private socket for other programs of the same user. A tape that is played back
 * has none. A session whose door cannot be opened works without it.
 */
export function doorFeature(commands: SessionCommands, lead: Lead): SessionFeature {
  return {
    name: 'door',
    open(kernel) {
      if (kernel.tape?.isReplay) return {};
      const { id, place, events } = kernel;
      const { home } = place.layout;
      const door = new Door(kernel, commands, lead);
      let listening: ReturnType<typeof listenLocally> | undefined;
      return {
        ready() {
          sweepSockets(home);
          listening = listenLocally(findSocket(home, id, process.pid), (connection) =>
            door.accept(connection),
          );
          void listening.then((opened) => {
            if (!opened.ok) events.noticeOnce('debug', `The session has no door. ${opened.problem.message}`);
          });
        },
        async close() {
          const opened = await listening;
          if (opened?.ok) opened.value.close();
          door.close();
        },
      };
    },
  };
}

/** The clients of one session, and the events that they read. */
export class Door {
  readonly #kernel: DoorKernel;
  readonly #log: EventLog;
  /** Each with what ends the wait for its hello. */
  readonly #clients = new Map<ServedClient, () => void>();
  #stopListening: (() => void) | undefined;

  constructor(
    kernel: DoorKernel,
    private readonly commands: Pick<SessionCommands, 'send' | 'state'>,
    private readonly lead: Pick<Lead, 'model' | 'permissionMode'>,
  ) {
    this.#kernel = kernel;
    this.#log = new EventLog(kernel.place.outside.ids.token(12));
  }

  accept(connection: LocalConnection): ConnectionHandler {
    const client = new ServedClient(connection, this.#session(), {
      welcomed: (known) => this.#clients.get(known)?.(),
      left: (gone) => this.#forget(gone),
    });
    const reason = this.#reasonToRefuse(connection);
    if (reason !== undefined) {
      client.refuse(reason);
      return client;
    }
    const { clock } = this.#kernel.place.outside;
    const giveUp = () => client.refuse(`No hello came within ${maxHelloMs / 1000} s.`);
    this.#clients.set(client, clock.after(maxHelloMs, giveUp));
    // Nobody can hold a cursor before the first client came, so nothing is logged until then.
    this.#stopListening ??= this.#kernel.events.listen((event) => this.#note(event));
    void import('./read-frame.ts').then(({ readFrame }) => client.begin(readFrame));
    return client;
  }

  close(): void {
    this.#stopListening?.();
    for (const client of [...this.#clients.keys()]) {
      client.dismiss();
      this.#forget(client);
    }
  }

  /** The modes of socket and directory keep other users out already. */
  #reasonToRefuse(connection: LocalConnection): string | undefined {
    if (this.#clients.size >= maxClients) return `This session has ${maxClients} clients already.`;
    const peer = connection.readPeer();
    if (!peer || peer.pid === process.pid) return undefined;
    if (peer.uid !== process.getuid?.()) return 'This session belongs to another user.';
    // An agent whose command could connect would answer its own questions.
    if (isBelowMarked(peer.pid, this.#kernel.id))
      return 'A program that this session started cannot connect to it. Use another terminal.';
    return undefined;
  }

  #session() {
    return {
      log: this.#log,
      send: (command: Command) => this.commands.send(command),
      describe: () => this.#describe(),
    };
  }

  #describe() {
    const { id, place, log, tasks, questions } = this.#kernel;
    const { model, permissionMode } = this.lead;
    return {
      ...{ sessionId: id, cwd: place.cwd, state: this.commands.state, model, permissionMode },
      transcript: log.path,
      tasks: tasks.list(),
      questions: questions.approvals.waiting().map(({ question }) => question),
    };
  }

  #note(event: AgentEvent): void {
    if (isPiece(event)) {
      let line: Uint8Array | undefined;
      const encode = () => {
        line ??= encodeFrame({ type: 'event', event });
        return line;
      };
      for (const client of this.#clients.keys()) client.sendPiece(event, encode);
      return;
    }
    this.#log.add(event);
    for (const client of this.#clients.keys()) client.sendEvents();
  }

  #forget(client: ServedClient): void {
    this.#clients.get(client)?.();
    this.#clients.delete(client);
  }
}

type DoorKernel = Pick<Kernel, 'id' | 'place' | 'log' | 'tasks' | 'questions' | 'events'>;
