import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/atomic.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { hashBytes } from '../lib/hash.ts';
import { ok, type Result } from '../lib/result.ts';
import { isRecord, type ServerConfig } from './config.ts';
import { hashDefinition, type ToolDefinition } from './definition.ts';

/** What is known of a server from before: which tools were approved, and what they looked like. */
export interface KnownServer {
  /** By the tool's own name: the hash it was approved with. */
  pins: ReadonlyMap<string, string>;
  /** Those of the approved definitions that are still at hand, in the server's order. */
  tools: ToolDefinition[];
  hasResources: boolean;
}

/** The tools that the user has approved, by server. Kept in `<home>/mcp-pins.json`; what they look like is beside it. */
export interface Pins {
  /** Undefined where the server was never seen. */
  known(server: ServerConfig): KnownServer | undefined;
  /** From now on these are the approved ones. Tools that are not among them are forgotten. */
  approve(
    server: ServerConfig,
    tools: readonly ToolDefinition[],
    hasResources: boolean,
  ): Promise<Result<void>>;
}

interface PinnedServer {
  name: string;
  approvedAt: string;
  tools: Record<string, string>;
  hasResources: boolean;
}

const format = 1;
const largestPins = 16 * 1024 * 1024;
/** Beyond this the definitions are asked of the server each time; the pins are kept all the same. */
const largestDefinitions = 1024 * 1024;

export function openPins(home: string, clock: Clock): Pins {
  const path = join(home, 'mcp-pins.json');
  const definitions = (id: string) => join(home, 'mcp-tools', `${id}.json`);
  return {
    known(server) {
      const id = serverId(server);
      const pinned = readPins(path)[id];
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
        const servers = { ...readPins(path), [id]: entry };
        return writeAtomic(path, `${JSON.stringify({ format, servers }, null, 2)}\n`, 0o600);
      });
      if (!kept.ok) return kept;
      return keepDefinitions(home, definitions(id), tools);
    },
  };
}

/** The twin that keeps nothing on disk. */
export function memoryPins(): Pins {
  const servers = new Map<string, KnownServer>();
  return {
    known: (server) => servers.get(serverId(server)),
    async approve(server, tools, hasResources) {
      const pins = new Map(tools.map((tool) => [tool.name, hashDefinition(tool)]));
      servers.set(serverId(server), { pins, tools: [...tools], hasResources });
      return ok(undefined);
    },
  };
}

/**
 * What approval holds for: this name, reached in this way. Another program or address under the same name is another
 * server. Values of variables and headers do not count, since tokens change.
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

/** A file that cannot be believed approves nothing: everything in it is then new. */
function readPins(path: string): Record<string, PinnedServer> {
  const json = readOwnJson(path, largestPins);
  if (!isRecord(json) || json.format !== format || !isRecord(json.servers)) return {};
  return Object.fromEntries(
    Object.entries(json.servers).filter((entry): entry is [string, PinnedServer] => isPinned(entry[1])),
  );
}

function isPinned(value: unknown): value is PinnedServer {
  return (
    isRecord(value) &&
    isRecord(value.tools) &&
    Object.values(value.tools).every((hash) => typeof hash === 'string')
  );
}

/** Each is believed only as far as its hash is the approved one. */
function readDefinitions(path: string): ToolDefinition[] {
  const json = readOwnJson(path, 2 * largestDefinitions);
  if (!isRecord(json) || json.format !== format || !Array.isArray(json.tools)) return [];
  return json.tools.filter(isDefinition);
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
    text.length <= largestDefinitions ? text : JSON.stringify({ format, tools: [] }),
    0o600,
  );
}

/** Only a plain file that nobody else can write. */
function readOwnJson(path: string, largest: number): unknown {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stat = fstatSync(descriptor);
      const owner = process.getuid?.();
      const foreign = (stat.mode & 0o022) !== 0 || (owner !== undefined && stat.uid !== owner);
      if (!stat.isFile() || stat.size > largest || foreign) return undefined;
      return JSON.parse(readFileSync(descriptor, 'utf8'));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
