import type { ConnectionHandler, LocalConnection } from '../lib/local-socket/connection.ts';
import type { Result } from '../lib/result.ts';
import { LineSplitter } from '../lib/split-lines.ts';
import { version } from '../lib/version.ts';
import type { AgentEvent, Command } from '../protocol/index.ts';
import type { EventLog } from './event-log.ts';
import {
  type ClientFrame,
  type CommandFrame,
  type DoorFrame,
  type DoorView,
  doorProtocol,
  encodeFrame,
  type HelloFrame,
  maxCommandBytes,
  maxHelloBytes,
  type WantedEvents,
} from './frames.ts';

/** A session as its door sees it. */
export interface DoorSession {
  readonly log: EventLog;
  describe(): DoorView;
  send(command: Command): Result<void>;
}

/** The door's view of a client. */
export interface ClientWatch {
  welcomed(client: ServedClient): void;
  left(client: ServedClient): void;
}

export type ReadFrame = (line: Uint8Array) => Result<ClientFrame>;

/**
 * One client at a session's door. It reads events from the log as fast as its socket takes them; while that is full,
 * neither its commands nor more events are read, so that only the line being sent is held for it. When the log no
 * longer has the next event, the client must start again.
 */
export class ServedClient implements ConnectionHandler {
  readonly #lines = new LineSplitter(maxHelloBytes);
  #readFrame: ReadFrame | undefined;
  #isWelcome = false;
  #wanted: WantedEvents = [];
  /** The number of the next event in the log. */
  #next = 0;
  /** Its socket is full. */
  #isBehind = false;
  #isClosing = false;

  constructor(
    private readonly connection: LocalConnection,
    private readonly session: DoorSession,
    private readonly watch: ClientWatch,
  ) {}

  /** Lines wait until this is called: the reader is loaded with the first client. */
  begin(readFrame: ReadFrame): void {
    this.#readFrame = readFrame;
    this.#takeLines();
  }

  data(bytes: Uint8Array): void {
    if (this.#isClosing) return;
    this.#lines.add(bytes);
    this.#takeLines();
  }

  drained(): void {
    this.#isBehind = false;
    this.sendEvents();
    this.#takeLines();
  }

  closed(): void {
    this.#isClosing = true;
    this.watch.left(this);
  }

  /** Sends everything that is in the log by now. */
  sendEvents(): void {
    if (!this.#isWelcome || this.#wanted.length === 0) return;
    const { log } = this.session;
    while (!this.#isBehind && !this.#isClosing && this.#next < log.next) {
      const logged = log.read(this.#next);
      if (!logged) this.#close('behind', 'This client reads too slowly. Connect again without a cursor.');
      else if (this.#wants(logged.type)) this.#write(logged.line);
      this.#next++;
    }
  }

  /** Sends a piece, unless the client is behind. */
  sendPiece(event: AgentEvent, line: () => Uint8Array): void {
    if (!this.#isWelcome || this.#isClosing || this.#isBehind || !this.#wants(event.type)) return;
    this.#write(line());
  }

  /** The session ends. */
  dismiss(): void {
    if (this.#isClosing) return;
    if (!this.#isBehind) this.#send({ type: 'bye' });
    this.#end();
  }

  /** Says why, and closes the connection. */
  refuse(message: string): void {
    this.#close('refused', message);
  }

  #close(kind: 'behind' | 'refused', message: string): void {
    if (this.#isClosing) return;
    this.#send({ type: 'error', kind, message });
    this.#end();
  }

  /** Frees its place at once, however long the client takes to disconnect. What it still sends is read and ignored. */
  #end(): void {
    this.#isClosing = true;
    this.watch.left(this);
    this.connection.resume();
    this.connection.end();
  }

  #takeLines(): void {
    for (;;) {
      if (this.#isClosing) return;
      if (!this.#readFrame || this.#isBehind) break;
      const line = this.#lines.take();
      if (line === undefined) {
        this.connection.resume();
        return;
      }
      if (line === 'too long') this.refuse(`A line has more than ${this.#lines.maxBytes} bytes.`);
      else this.#takeFrame(this.#readFrame(line));
    }
    this.connection.pause();
  }

  #takeFrame(frame: Result<ClientFrame>): void {
    if (!this.#isWelcome) {
      if (frame.ok && frame.value.type === 'hello') this.#welcome(frame.value);
      else this.refuse(`The first line must be a hello for protocol ${doorProtocol}.`);
    } else if (!frame.ok) this.#complain(frame.problem.message);
    else if (frame.value.type === 'hello') this.#complain('The hello was already sent.');
    else this.#takeCommand(frame.value);
  }

  #complain(message: string): void {
    this.#send({ type: 'error', kind: 'line', message });
  }

  #takeCommand({ id, command }: CommandFrame): void {
    const taken = this.session.send(command);
    this.#send({ type: 'reply', id, problem: taken.ok ? undefined : taken.problem });
  }

  #welcome({ protocol, events = [], since }: HelloFrame): void {
    if (protocol !== doorProtocol) {
      this.refuse(
        `This session uses protocol ${doorProtocol} (Cadre ${version}), the client uses ${protocol}. Use the same version of Cadre for both.`,
      );
      return;
    }
    const { log } = this.session;
    const found = since === undefined ? undefined : log.find(since);
    this.#isWelcome = true;
    this.watch.welcomed(this);
    this.#lines.maxBytes = maxCommandBytes;
    this.#wanted = events;
    this.#next = found ?? log.next;
    this.#send({
      type: 'welcome',
      protocol: doorProtocol,
      version,
      pid: process.pid,
      cursor: found === undefined ? log.cursor : (since ?? ''),
      resumed: found !== undefined,
      ...this.session.describe(),
    });
    this.sendEvents();
  }

  #wants(type: AgentEvent['type']): boolean {
    return this.#wanted === 'all' || this.#wanted.includes(type);
  }

  #send(frame: DoorFrame): void {
    this.#write(encodeFrame(frame));
  }

  #write(line: Uint8Array): void {
    if (!this.connection.write(line)) this.#isBehind = true;
  }
}
