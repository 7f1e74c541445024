/** Lets servers talk without end and prints what each kind of talk cost: memory, and the longest time without a turn for others. */
import { join } from 'node:path';
import type { ServerConfig } from '../../src/mcp/config.ts';
import { quietPool } from './quiet-pool.ts';
import { spamKinds } from './spam-kinds.ts';

for (const kind of spamKinds) {
  const pool = quietPool([serverOf('loud'), serverOf('good')], {
    connectTimeoutMs: 20_000,
    toolTimeoutMs: 1_500,
  });
  const call = async (server: string, tool: string, text: string) =>
    JSON.stringify(
      await pool
        .find(server)
        ?.call(tool, { text }, { signal: new AbortController().signal, onProgress() {} }),
    );
  await Promise.all([call('loud', 'say', 'warm'), call('good', 'say', 'warm')]);
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  let peak = before;
  let longestPauseMs = 0;
  let last = process.cpuUsage();
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
    // By what this process used meanwhile: a pause in which the processor was with others is not its own.
    const { user, system } = process.cpuUsage(last);
    longestPauseMs = Math.max(longestPauseMs, (user + system) / 1000);
    last = process.cpuUsage();
  }, 5);
  const [said, other] = await Promise.all([call('loud', 'spam', kind), call('good', 'say', 'still here')]);
  clearInterval(watch);
  await pool.close();
  console.log(
    JSON.stringify({ kind, said, other, longestPauseMs, megabytes: (peak - before) / 1024 / 1024 }),
  );
}
process.exit(0);

function serverOf(name: string): ServerConfig {
  const args = [join(import.meta.dirname, 'fake-server.ts'), 'plain'];
  const transport = { type: 'stdio' as const, command: process.execPath, args, env: {} };
  return { name, scope: 'user', source: 'test', transport };
}
