import { spawn } from 'node:child_process';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { fail, ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { describeFault, readServer } from '../../mcp/config.ts';
import { configFile, editableScopes } from '../../mcp/edit-config.ts';
import type { ChangedTool } from '../../mcp/server-entry.ts';
import { findOwnProgram } from '../../workspace/search-path.ts';
import { answersYes } from '../ask/answers-yes.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type McpAdmin, openMcpAdmin } from './admin.ts';
import { listAsData, renderChanges, renderList, renderStatus } from './text.ts';

type McpFlags = Partial<FlagsOf<'mcp add'> & FlagsOf<'mcp test'>>;

type McpAction = 'list' | 'add' | 'remove' | 'test' | 'login';

/** `cadre mcp …`: lists and manages MCP servers. */
export async function manageMcp(
  action: McpAction,
  words: string[],
  flags: McpFlags,
): Promise<number | Result<string>> {
  const io = processIo();
  const admin = await openMcpAdmin(flags.trust === true);
  if (!admin.ok) return admin;
  const done = await act(action, admin.value, words, flags, io);
  if (!done.ok) return done;
  const { text, code = 0 } = done.value;
  return (await io.writeOut(text)) ? code : 1;
}

interface Said {
  text: string;
  code?: number;
}

function act(
  action: McpAction,
  admin: McpAdmin,
  [name = '', ...rest]: string[],
  flags: McpFlags,
  io: Io,
): Promise<Result<Said>> {
  switch (action) {
    case 'list':
      return Promise.resolve(
        ok({ text: flags.json ? formatJson(listAsData(admin.found)) : renderList(admin.found) }),
      );
    case 'add':
      return add(admin, name, rest, flags);
    case 'remove':
      return remove(admin, name, flags);
    case 'test':
      return test(admin, name, flags, io);
    case 'login':
      return login(admin, name, io);
  }
}

async function add(admin: McpAdmin, name: string, words: string[], flags: McpFlags): Promise<Result<Said>> {
  const { scope = 'local' } = flags;
  const entry = buildEntry(words, flags);
  if (!entry.ok) return entry;
  const read = readServer(name, entry.value, { scope, source: 'cadre mcp add' });
  if (!read.ok)
    return usage(`${describeFault(visibleLine(name, 80), read.problem)}.`, 'See cadre mcp add --help.');
  const added = await admin.edit(scope, (servers) => {
    if (Object.hasOwn(servers, name))
      return usage(`A server "${name}" already exists.`, `Remove it first: cadre mcp remove ${name}`);
    Object.defineProperty(servers, name, { value: entry.value, enumerable: true, configurable: true });
    return ok(undefined);
  });
  if (!added.ok) return added;
  const file = configFile(scope, admin.place);
  const next =
    scope === 'project' ? ' It starts once it is trusted: cadre trust.' : ` Try it: cadre mcp test ${name}`;
  return ok({ text: `Added ${name} to ${file}.${next}\n` });
}

function buildEntry([first, ...args]: string[], flags: McpFlags): Result<Record<string, unknown>> {
  if (first === undefined)
    return usage(
      'Missing a command or a URL.',
      'cadre mcp add NAME -- COMMAND ARGS, or cadre mcp add NAME https://…',
    );
  const isAddress = /^https?:\/\//i.test(first);
  if (!isAddress && flags.transport !== 'stdio' && /^[a-z][a-z0-9+.-]*:\/\//i.test(first))
    return usage(
      `${visibleLine(first, 200)}: expected an address starting with https:// or http://.`,
      'To add a program with this name, use --transport stdio.',
    );
  const transport = flags.transport ?? (isAddress ? 'http' : 'stdio');
  const env = readPairs(flags.env ?? [], '=', '--env');
  if (!env.ok) return env;
  const headers = readPairs(flags.header ?? [], ':', '--header');
  if (!headers.ok) return headers;
  if (transport !== 'stdio')
    return args.length > 0
      ? usage(`Unexpected arguments after the address: ${args.join(' ')}.`)
      : ok({ type: transport, url: first, ...nonEmpty('headers', headers.value) });
  return ok({ type: 'stdio', command: first, args, ...nonEmpty('env', env.value) });
}

function readPairs(texts: string[], mark: string, flag: string): Result<Record<string, string>> {
  const wrong = texts.find((text) => text.indexOf(mark) < 1);
  if (wrong !== undefined) return usage(`${flag}: expected NAME${mark}VALUE.`);
  const pairs = texts.map((text) => text.split(mark));
  return ok(Object.fromEntries(pairs.map(([name = '', ...value]) => [name.trim(), value.join(mark).trim()])));
}

function nonEmpty(key: string, value: Record<string, string>): Record<string, unknown> {
  return Object.keys(value).length > 0 ? { [key]: value } : {};
}

async function remove(admin: McpAdmin, name: string, flags: McpFlags): Promise<Result<Said>> {
  for (const scope of flags.scope ? [flags.scope] : editableScopes) {
    const removed = await admin.edit(scope, (servers) => {
      if (!Object.hasOwn(servers, name)) return fail({ kind: 'usage', message: notThere });
      delete servers[name];
      return ok(undefined);
    });
    if (removed.ok) return ok({ text: `Removed ${name} from ${configFile(scope, admin.place)}.\n` });
    if (removed.problem.message !== notThere) return removed;
  }
  const elsewhere = admin.found.servers.find((one) => one.name === name);
  return usage(
    `There is no server "${visibleLine(name, 80)}" to remove${flags.scope ? ` in the scope ${flags.scope}` : ''}.`,
    elsewhere
      ? `It is defined in ${elsewhere.source}, which Cadre does not change.`
      : 'cadre mcp list shows all servers.',
  );
}

const notThere = 'not there';

async function test(admin: McpAdmin, name: string, flags: McpFlags, io: Io): Promise<Result<Said>> {
  const approve = async (changed: readonly ChangedTool[]) => flags.approve === true || askAbout(changed, io);
  const connected = await admin.connect(name, approve, async (pool, notices) => {
    const entry = pool.find(name);
    await entry?.connection.ready();
    await entry?.asked;
    const [status] = pool.status();
    return status && { status, notices };
  });
  if (!connected.ok) return connected;
  if (!connected.value) return usage(`There is no MCP server "${name}".`);
  const { status, notices } = connected.value;
  const code = status.status === 'connected' && !status.withheld ? 0 : 1;
  if (flags.json) return ok({ text: formatJson(notices.length > 0 ? { ...status, notices } : status), code });
  // Its status says why it is missing.
  const isTold = (text: string) => status.error !== undefined && text.endsWith(status.error);
  const said = notices
    .filter((text) => !isTold(text))
    .map((text) => `${visibleLine(text, 500)}\n`)
    .join('');
  const withheld = status.withheld
    ? `Disabled because they changed since you approved them: ${status.withheld.map((one) => visibleLine(one, 80)).join(', ')}. cadre mcp test ${name} --approve approves them.\n`
    : '';
  return ok({ text: renderStatus(status) + said + withheld, code });
}

/** On the terminal itself: the user must have seen the question. */
async function askAbout(changed: readonly ChangedTool[], io: Io): Promise<boolean> {
  const text = `Changed since you approved them:\n\n${renderChanges(changed)}\n`;
  if (io.terminal) return answersYes(io, text, 'Use them as they are now? [y/N] ');
  io.writeErr(text);
  return false;
}

async function login(admin: McpAdmin, name: string, io: Io): Promise<Result<Said>> {
  const server = admin.found.servers.find((one) => one.name === name);
  if (!server)
    return usage(`There is no MCP server "${visibleLine(name, 80)}".`, 'cadre mcp list shows all servers.');
  const { transport } = server;
  if (!('url' in transport)) return usage(`${name} runs on this machine: there is nothing to log in to.`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const show = (url: string) => {
    io.writeErr(`Log in here, in a browser on this machine:\n${visibleLine(url, 4000)}\n`);
    openBrowser(url);
  };
  const done = await admin.logIn(transport, show, stop.signal);
  return done.ok ? ok({ text: `Logged in to ${name}.\n` }) : done;
}

/** Best effort: the address is on the screen as well. */
function openBrowser(url: string): void {
  if (!/^https?:\/\//.test(url)) return;
  if (process.stderr.isTTY !== true) return;
  const name = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const program = findOwnProgram(name, process.env, process.cwd());
  if (!program) return;
  const env = { ...process.env, PATH: program.path };
  const child = spawn(program.file, [url], { stdio: 'ignore', detached: true, env });
  child.on('error', () => {});
  child.unref();
}
