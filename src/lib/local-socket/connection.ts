/** Two-way bytes between two programs on one machine. Incoming bytes go to a `ConnectionHandler`. */
export interface LocalConnection {
  /** Accepts all bytes. False: the other end is behind, and `drained` is called once everything is sent. */
  write(bytes: Uint8Array): boolean;
  /** Reads no more bytes until `resume`. A piece that has already arrived may still be passed on. */
  pause(): void;
  resume(): void;
  /**
   * Sends no more once everything written is sent. The other end closes then; what it still sends must be read, or the system
   * drops what it has not read.
   */
  end(): void;
  /** Closes at once. */
  destroy(): void;
  /** The process at the other end, where the system reveals it. */
  readPeer(): SocketPeer | undefined;
}

export interface ConnectionHandler {
  /** The bytes may be reused after the call. */
  data(bytes: Uint8Array): void;
  drained(): void;
  /** Called once, whichever end closed it. */
  closed(): void;
}

export interface SocketPeer {
  pid: number;
  uid: number;
}

/** Called for each incoming connection. */
export type Accept = (connection: LocalConnection) => ConnectionHandler;

export interface LocalListener {
  /** Accepts no more connections. Open ones stay open. */
  close(): void;
}
