import { type Clock, sleep } from '../lib/clock.ts';
import { boundText } from '../lib/text/text.ts';
import { describeMissingServer } from '../tools/monitor/missing-server.ts';
import type { WatchServer } from '../tools/monitor/monitor-schema.ts';
import type { LiveClient } from './connect.ts';
import type { McpPool } from './pool.ts';

const lookMs = 2_000;
const maxContent = 2_000;
/** Notifications that are never watched for. */
const uninteresting = ['notifications/message', 'notifications/progress', 'notifications/cancelled'];

/** Watches a server of the pool: changes of a resource, or all its notifications. */
export function watchServers(pool: () => Promise<McpPool>, clock: Clock): WatchServer {
  return async ({ server, uri }, event, signal) => {
    const servers = await pool();
    const entry = servers.find(server);
    if (!entry) return describeMissingServer(server, servers.names());
    const forget = servers.listen((name, method, params) => {
      if (name !== entry.name || uninteresting.includes(method)) return;
      if (uri === undefined) event(boundText(`${method} ${JSON.stringify(params)}`, maxContent));
      else if (method === 'notifications/resources/updated' && params.uri === uri) void tellContent();
    });
    const tellContent = async () => {
      const read = await entry.connection.use(
        (live, inner) => live.client.readResource({ uri: uri ?? '' }, { signal: inner }),
        { signal },
      );
      const texts = read.ok ? read.value.contents.map((one) => ('text' in one ? one.text : '[binary]')) : [];
      event(boundText(`${uri} changed\n${texts.join('\n')}`, maxContent));
    };
    let watched: LiveClient | undefined;
    try {
      while (!signal.aborted) {
        if (entry.connection.live === undefined || entry.connection.live !== watched) {
          const joined = await entry.connection.use(
            async (live, inner) => {
              if (uri !== undefined) await live.client.subscribeResource({ uri }, { signal: inner });
              return live;
            },
            { signal },
          );
          if (!joined.ok) return joined.problem;
          watched = joined.value;
        }
        await sleep(clock, lookMs, signal);
      }
      return undefined;
    } finally {
      forget();
      if (uri !== undefined && watched === entry.connection.live)
        void watched?.client.unsubscribeResource({ uri }).catch(() => {});
    }
  };
}
