/** Two-way bytes between two programs of one machine. What comes in goes to a `ConnectionHandler`. */
export interface LocalConnection {
  /** Takes all bytes. False: the other end is behind, and `drained` is called once everything is sent. */
  write(bytes: Uint8Array): boolean;
  /** Takes in no more bytes until `resume`. A piece that is already here may still be handed over. */
  pause(): void;
  resume(): void;
  /**
   * Sends no more once everything that was written is sent. The other end closes then; what it still sends must be taken in, or
   * the system drops what it has not read.
   */
  end(): void;
  /** Closes at once. */
  destroy(): void;
  /** The process at the other end, where the system says which it is. */
  readPeer(): SocketPeer | undefined;
}

export interface ConnectionHandler {
  /** The bytes may be reused after the call. */
  data(bytes: Uint8Array): void;
  drained(): void;
  /** Called once, whoever closed it. */
  closed(): void;
}

export interface SocketPeer {
  pid: number;
  uid: number;
}

/** Called for each connection that comes in. */
export type Accept = (connection: LocalConnection) => ConnectionHandler;

export interface LocalListener {
  /** Takes no more connections. Those that are open stay open. */
  close(): void;
}
