/** Lets servers send messages of 100 MB and prints what that cost: one, several in a row, and from two at once. */
import { join } from 'node:path';
import { quietPool } from './quiet-pool.ts';

const transport = {
  type: 'stdio' as const,
  command: process.execPath,
  args: [join(import.meta.dirname, 'fake-server.ts'), 'plain'],
  env: {},
};
const pool = quietPool(
  ['one', 'other'].map((name) => ({ name, scope: 'user', source: 'test', transport })),
  { connectTimeoutMs: 20_000, toolTimeoutMs: 20_000 },
);
const call = async (server: string, tool: string, input: Record<string, unknown>) =>
  JSON.stringify(await pool.find(server)?.call(tool, input, { signal: new AbortController().signal }));
const flood = (server: string) => call(server, 'flood', { megabytes: 100 });

await Promise.all([call('one', 'say', { text: 'warm' }), call('other', 'say', { text: 'warm' })]);
Bun.gc(true);
const before = process.memoryUsage().rss;
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 5);
const said = [await flood('one')];
const rows = [(peak - before) / 1024 / 1024];
for (let count = 0; count < 4; count++) said.push(await flood('one'));
rows.push((peak - before) / 1024 / 1024);
said.push(...(await Promise.all([flood('one'), flood('other')])));
rows.push((peak - before) / 1024 / 1024);
const after = await call('one', 'say', { text: 'still here' });
clearInterval(watch);
await pool.close();
console.log(JSON.stringify({ said, after, megabytes: rows }));
process.exit(0);
