/** Lets a server flood over HTTP and prints what it cost and what was said of it. Arguments: port, transport, path. */
import { manualClock } from '../../src/lib/clock.ts';
import { quietPool } from './quiet-pool.ts';

const [, , port, type, path = ''] = process.argv;
const url = `http://127.0.0.1:${port}`;
const remote = (name: string, at: string) => ({
  name,
  scope: 'user' as const,
  source: 'test',
  transport: { type: type as 'http' | 'sse', url: url + at, headers: {} },
});
const pool = quietPool([remote('warm', '/call/large'), remote('bad', path)], {
  ...{ connectTimeoutMs: 60_000, toolTimeoutMs: 60_000 },
  // Time stands still, and the client library, which has its own clock, waits long: no limit is reached.
  clock: manualClock(),
});
const signal = new AbortController().signal;
if (type === 'http') await pool.find('warm')?.connection.ready();
Bun.gc(true);
const before = process.memoryUsage().rss;
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
const said = JSON.stringify(await pool.find('bad')?.call('go', {}, { signal, onProgress() {} }));
// What was ended is not read on.
await new Promise((resolve) => setTimeout(resolve, 500));
clearInterval(watch);
console.log(JSON.stringify({ said, megabytes: (peak - before) / 1024 / 1024 }));
process.exit(0);
