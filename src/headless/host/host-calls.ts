import type { Ids } from '../../lib/ids.ts';
import type { HostServers } from '../../mcp/transport/host.ts';
import { type Io, writeFrame } from '../io.ts';
import type { ControlResponse } from './wire.ts';

/** Our requests to the host that wait for its answer, and the MCP servers that it runs itself. */
export class HostCalls {
  readonly #waiting = new Map<string, PromiseWithResolvers<unknown>>();
  readonly #listeners = new Map<string, (message: unknown) => void>();

  constructor(
    private readonly io: Io,
    private readonly ids: Ids,
  ) {}

  /** Resolves with the host's answer; rejects if it refuses or disconnects. */
  async call(request: object): Promise<unknown> {
    const request_id = this.ids.uuid();
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(request_id, answer);
    answer.promise.catch(() => {});
    await writeFrame(this.io, { type: 'control_request', request_id, request });
    return answer.promise;
  }

  /** False when the response belongs to no call of ours. */
  answer({ response }: ControlResponse): boolean {
    const waiting = this.#waiting.get(response.request_id);
    if (!waiting) return false;
    this.#waiting.delete(response.request_id);
    if (response.subtype === 'success') waiting.resolve(response.response);
    else waiting.reject(new Error(response.error));
    return true;
  }

  /** No more answers will come. */
  leave(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('The host closed the connection.'));
    this.#waiting.clear();
  }

  /** Servers that the host runs, as a session knows them. */
  servers(names: readonly string[], configs: HostServers['configs'] = {}): HostServers {
    return {
      names,
      configs,
      send: async (server_name, message) => {
        const reply = await this.call({ subtype: 'mcp_message', server_name, message });
        return (reply as { mcp_response?: unknown } | undefined)?.mcp_response;
      },
      listen: (server, take) => {
        this.#listeners.set(server, take);
        return () => this.#listeners.delete(server);
      },
    };
  }

  /** A message that a server of the host sent on its own. False when there is no connection to it. */
  deliver(server: string, message: unknown): boolean {
    const take = this.#listeners.get(server);
    take?.(message);
    return take !== undefined;
  }
}
