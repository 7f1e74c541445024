/** Lets a server send one message of 100 MB and prints what that cost. */
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryAuthStore } from '../../src/mcp/auth-store.ts';
import { memoryPins } from '../../src/mcp/pins.ts';
import { McpPool } from '../../src/mcp/pool.ts';

const transport = {
  type: 'stdio' as const,
  command: process.execPath,
  args: [join(import.meta.dirname, 'fake-server.ts'), 'plain'],
  env: {},
};
const pool = new McpPool({
  servers: [{ name: 'fake', scope: 'user', source: 'test', transport }],
  around: {
    clock: systemClock,
    cwd: import.meta.dirname,
    environment: { PATH: process.env.PATH },
    owner: `flood-${process.pid}`,
    auth: memoryAuthStore(),
    elicit: async () => ({ action: 'decline' }),
  },
  pins: memoryPins(),
  settings: { servers: [], disabled: [], denied: [] },
  connectTimeoutMs: 20_000,
  toolTimeoutMs: 20_000,
  approve: async () => false,
  notice() {},
  chosen() {},
});
const call = async (tool: string, input: Record<string, unknown>) =>
  JSON.stringify(await pool.find('fake')?.call(tool, input, { signal: new AbortController().signal }));

await call('say', { text: 'warm' });
Bun.gc(true);
const before = process.memoryUsage().rss;
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
const said = await call('flood', { megabytes: 100 });
const after = await call('say', { text: 'still here' });
clearInterval(watch);
await pool.close();
console.log(JSON.stringify({ said, after, megabytes: (peak - before) / 1024 / 1024 }));
process.exit(0);
