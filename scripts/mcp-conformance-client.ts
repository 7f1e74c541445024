/** The client that MCP's conformance scenarios are run against: our own pool and login, driven as a session would. */

import { systemClock } from '../src/lib/clock.ts';
import { memoryAuthStore } from '../src/mcp/auth-store.ts';
import { type RemoteTransport, readServer } from '../src/mcp/config.ts';
import { logIn } from '../src/mcp/login.ts';
import { memoryPins } from '../src/mcp/pins.ts';
import { McpPool } from '../src/mcp/pool.ts';
import { openFetch } from '../src/mcp/transport/bounded-fetch.ts';
import { noSettings } from '../src/settings/merge.ts';

const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const { client_id: clientId, client_secret: clientSecret } = context;
const oauth = clientId === undefined ? {} : { oauth: { clientId, clientSecret } };
const read = readServer('tested', { type: 'http', url, ...oauth }, { scope: 'user', source: 'conformance' });
if (!read.ok) throw new Error(read.problem.expected);

const auth = memoryAuthStore();
const signal = new AbortController().signal;
const pool = new McpPool({
  servers: [read.value],
  around: {
    clock: systemClock,
    cwd: process.cwd(),
    environment: process.env,
    owner: 'conformance',
    auth,
    elicit: async () => ({ action: 'accept', content: {} }),
  },
  pins: memoryPins(),
  settings: noSettings(),
  connectTimeoutMs: 10_000,
  toolTimeoutMs: 10_000,
  approve: async () => false,
  notice: (text) => console.error(text),
  chosen() {},
});

const entry = pool.find('tested');
await entry?.connection.ready();
for (let logins = 0; entry?.connection.state === 'needs-auth' && logins < 3; logins++)
  await logInAndConnect();
for (let calls = 0; calls < 4 && entry?.connection.state === 'connected'; calls++) {
  await callAll();
  // A call may need more than the login before allowed.
  if ((entry.connection.state as string) !== 'needs-auth') break;
  if (calls === 3 || !(await logInAndConnect())) break;
}
console.error(JSON.stringify(pool.status()));
const code = entry?.connection.state === 'connected' ? 0 : 1;
await pool.close();
process.exit(code);

async function callAll(): Promise<void> {
  for (const { name } of entry?.definitions() ?? []) {
    const called = await entry?.call(name, name === 'add_numbers' ? { a: 5, b: 3 } : {}, { signal });
    console.error(name, JSON.stringify(called));
  }
}

async function logInAndConnect(): Promise<boolean> {
  const fetched = openFetch(process.env);
  if (!fetched.ok) return false;
  const done = await logIn({
    server: read.ok ? (read.value.transport as RemoteTransport) : { type: 'http', url, headers: {} },
    store: auth,
    fetch: fetched.value,
    clock: systemClock,
    signal,
    timeoutMs: 5_000,
    show: visit,
  });
  if (!done.ok) console.error(done.problem.message);
  if (!done.ok) return false;
  const ready = await pool.reconnect('tested');
  return ready.ok;
}

/** Acts as a browser whose user agrees to everything. */
async function visit(address: string): Promise<void> {
  const page = await fetch(address, { redirect: 'manual' });
  const target = page.headers.get('location');
  if (target) await fetch(target);
}
