import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../../lib/fields/field-values.ts';
import { repairAnswer } from './repair-answer.ts';

/** Servers that the program at the other end of the session runs itself. */
export interface HostServers {
  readonly names: readonly string[];
  /** Their settings, by name. */
  readonly configs?: Readonly<Record<string, unknown>>;
  /** Passes a message on; resolves with the server's reply, if it has one. */
  send(server: string, message: unknown): Promise<unknown>;
  /** Called once per connection, with a function that takes the server's own messages. */
  listen(server: string, take: (message: unknown) => void): () => void;
}

/** Talks to a server through the host of the session. */
export class HostTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onerror?: Transport['onerror'];
  onclose?: Transport['onclose'];
  #forget: (() => void) | undefined;

  constructor(
    private readonly host: HostServers,
    private readonly name: string,
  ) {}

  async start(): Promise<void> {
    this.#forget = this.host.listen(this.name, (message) => this.#receive(message));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const wantsReply = 'id' in message && 'method' in message;
    const sent = this.host.send(this.name, message).then(
      (reply) => {
        if (wantsReply) this.#receive(reply);
      },
      (error) => {
        if (wantsReply)
          this.#receive({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: String(error) } });
      },
    );
    if (!wantsReply) await sent;
  }

  async close(): Promise<void> {
    this.#forget?.();
    this.#forget = undefined;
    this.onclose?.();
  }

  #receive(message: unknown): void {
    if (this.#forget && isRecord(message) && message.jsonrpc === '2.0')
      this.onmessage?.(repairAnswer(message) as unknown as JSONRPCMessage);
  }
}
