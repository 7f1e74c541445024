import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { withFileLock } from '../lib/files/file-lock.ts';
import { readBounded } from '../lib/files/read-bounded.ts';
import { hashBytes } from '../lib/hash.ts';
import { fail, getErrorCode, ok, type Result } from '../lib/result.ts';
import type { ServerConfig } from './config.ts';
import { hashDefinition, type ToolDefinition } from './definition.ts';
import { type PromptDefinition, readPrompt } from './prompt-definition.ts';

/** Facts about a server from earlier: which tools were approved, and their definitions. */
export interface KnownServer {
  /** By the tool's own name: the hash it was approved with. */
  pins: ReadonlyMap<string, string>;
  /** The approved definitions that are still available, in the server's order. */
  tools: ToolDefinition[];
  hasResources: boolean;
  /** Why the stored pins are unusable. Then nothing is approved, since it is unknown what was. */
  doubt?: string;
}

/**
 * The tools that the user has approved, by server. Stored in `<home>/mcp-pins.json`; their definitions are beside it.
 */
export interface Pins {
  /** Undefined if the server was never seen. */
  known(server: ServerConfig): KnownServer | undefined;
  /** From now on these are the approved ones. Tools that are not among them are forgotten. */
  approve(
    server: ServerConfig,
    tools: readonly ToolDefinition[],
    hasResources: boolean,
  ): Promise<Result<void>>;
  /** The commands that the server last offered. This approves nothing. */
  prompts(server: ServerConfig): PromptDefinition[];
  rememberPrompts(server: ServerConfig, prompts: readonly PromptDefinition[]): void;
  /** Whether it did not answer when it was last started: such a server is not waited for. */
  wasSilent(server: ServerConfig): boolean;
  rememberSilence(server: ServerConfig, isSilent: boolean): void;
}

interface PinnedServer {
  name: string;
  approvedAt: string;
  tools: Record<string, string>;
  hasResources: boolean;
}

const format = 1;
const maxPins = 16 * 1024 * 1024;
/** Beyond this size the definitions are requested from the server each time; the pins are still kept. */
const maxDefinitions = 1024 * 1024;

export function openPins(home: string, clock: Clock): Pins {
  const path = join(home, 'mcp-pins.json');
  const definitions = (id: string) => join(home, 'mcp-tools', `${id}.json`);
  const prompts = (server: ServerConfig) => join(home, 'mcp-tools', `${serverId(server)}.prompts.json`);
  const silence = (server: ServerConfig) => join(home, 'mcp-tools', `${serverId(server)}.silent`);
  return {
    known(server) {
      const id = serverId(server);
      const kept = readPins(path);
      if (!kept.ok) return { pins: new Map(), tools: [], hasResources: false, doubt: kept.problem.message };
      const pinned = kept.value[id];
      if (!pinned) return undefined;
      const pins = new Map(Object.entries(pinned.tools));
      const tools = readDefinitions(definitions(id)).filter(
        (tool) => pins.get(tool.name) === hashDefinition(tool),
      );
      return { pins, tools, hasResources: pinned.hasResources };
    },
    async approve(server, tools, hasResources) {
      const id = serverId(server);
      const directory = ensurePrivateDirectory(home);
      if (!directory.ok) return directory;
      const entry: PinnedServer = {
        name: server.name,
        approvedAt: timestamp(clock),
        tools: Object.fromEntries(tools.map((tool) => [tool.name, hashDefinition(tool)])),
        hasResources,
      };
      const kept = await withFileLock(`${path}.lock`, clock, () => {
        const before = readPins(path);
        // Writing a new file would forget the approvals of all other servers.
        if (!before.ok) return before;
        const servers = { ...before.value, [id]: entry };
        return writeAtomic(path, `${JSON.stringify({ format, servers }, null, 2)}\n`, 0o600);
      });
      if (!kept.ok) return kept;
      return keepDefinitions(home, definitions(id), tools);
    },
    prompts: (server) => readPrompts(prompts(server)),
    wasSilent: (server) => existsSync(silence(server)),
    rememberSilence(server, isSilent) {
      if (!isSilent) rmSync(silence(server), { force: true });
      else if (ensurePrivateDirectory(join(home, 'mcp-tools')).ok) writeAtomic(silence(server), '', 0o600);
    },
    rememberPrompts(server, given) {
      const text = JSON.stringify({ format, prompts: given });
      // If they cannot be stored, they are requested again.
      if (text.length <= maxDefinitions && ensurePrivateDirectory(join(home, 'mcp-tools')).ok)
        writeAtomic(prompts(server), text, 0o600);
    },
  };
}

/** The twin that keeps nothing on disk. */
export function memoryPins(): Pins {
  const servers = new Map<string, KnownServer>();
  const prompts = new Map<string, readonly PromptDefinition[]>();
  const silent = new Set<string>();
  return {
    prompts: (server) => [...(prompts.get(serverId(server)) ?? [])],
    rememberPrompts: (server, given) => void prompts.set(serverId(server), given),
    wasSilent: (server) => silent.has(serverId(server)),
    rememberSilence(server, isSilent) {
      if (isSilent) silent.add(serverId(server));
      else silent.delete(serverId(server));
    },
    known: (server) => servers.get(serverId(server)),
    async approve(server, tools, hasResources) {
      const pins = new Map(tools.map((tool) => [tool.name, hashDefinition(tool)]));
      servers.set(serverId(server), { pins, tools: [...tools], hasResources });
      return ok(undefined);
    },
  };
}

/**
 * What an approval applies to: this name, reached in this way. Another program or address under the same name is
 * another server. Values of variables and headers are ignored, since tokens change.
 */
function serverId({ name, transport }: ServerConfig): string {
  const way =
    transport.type === 'stdio'
      ? [transport.command, ...transport.args, ...Object.keys(transport.env).sort()]
      : transport.type === 'host'
        ? []
        : [transport.url, ...Object.keys(transport.headers).sort()];
  return hashBytes(JSON.stringify([name, transport.type, ...way])).slice(0, 32);
}

/** A missing file approves nothing yet; a corrupt one must not look like a missing one. */
function readPins(path: string): Result<Record<string, PinnedServer>> {
  const json = readOwnJson(path, maxPins);
  if (!json.ok) return json.problem === 'absent' ? ok({}) : doubtful(path, json.problem);
  if (!isRecord(json.value) || json.value.format !== format || !isRecord(json.value.servers))
    return doubtful(path, 'it does not have the expected format');
  const servers = Object.entries(json.value.servers);
  const valid = servers.filter((entry): entry is [string, PinnedServer] => isPinned(entry[1]));
  if (valid.length < servers.length) return doubtful(path, 'one of its entries is damaged');
  return ok(Object.fromEntries(valid));
}

function doubtful(path: string, why: string): Result<never> {
  const message = `${path} cannot be used: ${why}. Fix it, or delete it to approve all MCP servers again.`;
  return fail({ kind: 'failure', message });
}

function isPinned(value: unknown): value is PinnedServer {
  return (
    isRecord(value) &&
    isRecord(value.tools) &&
    Object.values(value.tools).every((hash) => typeof hash === 'string')
  );
}

/** A definition is used only if its hash is the approved one. */
function readDefinitions(path: string): ToolDefinition[] {
  const json = readOwnJson(path, 2 * maxDefinitions);
  if (!json.ok || !isRecord(json.value)) return [];
  const { format: given, tools } = json.value;
  return given === format && Array.isArray(tools) ? tools.filter(isDefinition) : [];
}

function readPrompts(path: string): PromptDefinition[] {
  const json = readOwnJson(path, maxDefinitions);
  if (!json.ok || !isRecord(json.value) || json.value.format !== format) return [];
  const { prompts } = json.value;
  return Array.isArray(prompts) ? prompts.flatMap(readPrompt) : [];
}

function isDefinition(value: unknown): value is ToolDefinition {
  if (!isRecord(value)) return false;
  const { name, description, inputSchema, readOnly } = value;
  return (
    typeof name === 'string' &&
    typeof description === 'string' &&
    isRecord(inputSchema) &&
    typeof readOnly === 'boolean'
  );
}

function keepDefinitions(home: string, path: string, tools: readonly ToolDefinition[]): Result<void> {
  const text = JSON.stringify({ format, tools });
  const directory = ensurePrivateDirectory(join(home, 'mcp-tools'));
  if (!directory.ok) return directory;
  return writeAtomic(
    path,
    text.length <= maxDefinitions ? text : JSON.stringify({ format, tools: [] }),
    0o600,
  );
}

/** Only a plain file that other users cannot write. The problem is `absent`, or what is wrong with it. */
function readOwnJson(path: string, max: number): Result<unknown, string> {
  const read = readBounded(path, max, { refusesLinks: true });
  if (read.state === 'missing') return fail('absent');
  if (read.state !== 'read')
    return fail(
      read.error === undefined
        ? `it is not a regular file of at most ${max} bytes`
        : `it cannot be opened (${getErrorCode(read.error)})`,
    );
  const { mode, uid } = read.stat;
  const owner = process.getuid?.();
  if (owner !== undefined && uid !== owner) return fail('it belongs to another user');
  if ((mode & 0o022) !== 0)
    return fail('other users can write to it (if its content is yours, run chmod 600)');
  try {
    return ok(JSON.parse(read.bytes.toString('utf8')));
  } catch {
    return fail('it is not JSON');
  }
}
