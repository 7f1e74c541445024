/** Lets a server flood over HTTP and prints what it cost and what was said of it. Arguments: port, transport, path. */
import { systemClock } from '../../src/lib/clock.ts';
import { memoryAuthStore } from '../../src/mcp/auth-store.ts';
import { memoryPins } from '../../src/mcp/pins.ts';
import { McpPool } from '../../src/mcp/pool.ts';

const [, , port, type, path = ''] = process.argv;
const url = `http://127.0.0.1:${port}`;
const remote = (name: string, at: string) => ({
  name,
  scope: 'user' as const,
  source: 'test',
  transport: { type: type as 'http' | 'sse', url: url + at, headers: {} },
});
const pool = new McpPool({
  servers: [remote('warm', '/call/large'), remote('bad', path)],
  around: {
    clock: systemClock,
    cwd: import.meta.dirname,
    environment: { PATH: process.env.PATH },
    owner: `http-flood-${process.pid}`,
    auth: memoryAuthStore(),
    elicit: async () => ({ action: 'decline' }),
  },
  pins: memoryPins(),
  settings: { servers: [], disabled: [], denied: [] },
  connectTimeoutMs: 5_000,
  toolTimeoutMs: 5_000,
  approve: async () => false,
  notice() {},
  chosen() {},
});
const signal = new AbortController().signal;
if (type === 'http') await pool.find('warm')?.connection.ready();
Bun.gc(true);
const before = process.memoryUsage().rss;
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
const began = performance.now();
const said = JSON.stringify(await pool.find('bad')?.call('go', {}, { signal, onProgress() {} }));
const ms = performance.now() - began;
// What was ended is not read on.
await new Promise((resolve) => setTimeout(resolve, 500));
clearInterval(watch);
console.log(JSON.stringify({ said, ms, megabytes: (peak - before) / 1024 / 1024 }));
process.exit(0);
