import { type Clock, sleep } from '../lib/clock.ts';
import type { Tool } from '../protocol/index.ts';
import type { ServerConfig } from './config.ts';
import type { ServerEntry } from './server-entry.ts';

/** An agent's hold on its own server. */
export interface ServerLease {
  tools(): Tool[];
  /** Resolves when its tools are known, it has failed, or the time is over. */
  ready(ms: number, signal: AbortSignal): Promise<void>;
  /** Why it cannot be used now. */
  problem(): string | undefined;
  isPending(): boolean;
  /** Releases it; the last release closes the connection. Calling it twice is harmless. */
  release(): Promise<void>;
}

/** Servers that live as long as the agents that brought them. Agents with an identical configuration share one. */
export class ServerLeases {
  readonly #held = new Map<string, { entry: ServerEntry; users: number }>();

  constructor(private readonly open: (server: ServerConfig) => ServerEntry) {}

  entries(): ServerEntry[] {
    return [...this.#held.values()].map(({ entry }) => entry);
  }

  take(server: ServerConfig, clock: Clock): ServerLease {
    const key = JSON.stringify([server.name, server.transport]);
    const held = this.#held.get(key) ?? { entry: this.open(server), users: 0 };
    this.#held.set(key, held);
    held.users++;
    const { entry } = held;
    void entry.connection.ready();
    let isHeld = true;
    return {
      tools: () => entry.tools(),
      problem() {
        const { state, reason } = entry.connection;
        if (state === 'failed' || state === 'needs-auth') return reason;
        return entry.isKnown ? undefined : 'It has not answered yet.';
      },
      isPending: () => !entry.isKnown && !entry.wasSilent && entry.connection.state === 'pending',
      async ready(ms, signal) {
        if (entry.isKnown || entry.wasSilent) return;
        const enough = new AbortController();
        const stop = () => enough.abort();
        signal.addEventListener('abort', stop, { once: true });
        await Promise.race([entry.connection.ready(), sleep(clock, ms, enough.signal)]);
        stop();
        signal.removeEventListener('abort', stop);
      },
      release: async () => {
        if (!isHeld) return;
        isHeld = false;
        held.users--;
        if (held.users > 0) return;
        if (this.#held.get(key) === held) this.#held.delete(key);
        await entry.close();
      },
    };
  }
}
