import { join } from 'node:path';
import { isRecord } from '../lib/fields/field-values.ts';
import { visibleLine } from '../lib/text/text.ts';
import { parseJson } from '../settings/json.ts';
import type { McpSettings } from '../settings/loaded.ts';
import type { SettingSource } from '../settings/places.ts';
import { readPlainFile } from '../settings/read-file.ts';
import { mcpPieces } from '../settings/trust/mcp-pieces.ts';
import { pieceFile, type Trust } from '../settings/trust.ts';
import { relativeParts } from '../workspace/paths.ts';
import { describeFault, readServer, type ServerConfig, type ServerScope } from './config.ts';
import { readPluginServers } from './plugin-servers.ts';
import { findServerRefusal, isSwitchedOff } from './policy.ts';

export interface FindOptions {
  cwd: string;
  root: string;
  home: string;
  userHome: string;
  environment: Readonly<Record<string, string | undefined>>;
  sources: readonly SettingSource[];
  settings: McpSettings;
  trust: Trust;
  /** Values of `--mcp-config`: a file, or JSON itself. */
  flags?: readonly string[];
  /** `--strict-mcp-config`: only servers of flags and the program. */
  strict?: boolean;
  /** Servers that a program adds, by name. */
  given?: Readonly<Record<string, unknown>>;
  /** Directories of plugins. */
  plugins?: readonly string[];
}

export interface FoundServers {
  /** One per name, in a stable order. */
  servers: ServerConfig[];
  /** Servers that are named but not used, with the reason. */
  left: { name: string; source: string; reason: string }[];
  /** Files and entries that cannot be used, in sentences. */
  problems: string[];
  /** Those of them that are about one server. */
  broken: { name: string; problem: string }[];
  /** A flag's value that cannot be used: the only error that prevents a start. */
  fatal?: string;
}

const maxFileSize = 1024 * 1024;
/** The user's file of another product holds much more than servers. */
const maxForeignSize = 32 * 1024 * 1024;

/** Finds every server that the session may use. Starts nothing. */
export function findServers(options: FindOptions): FoundServers {
  const search = new Search(options);
  search.readFlags();
  search.take(options.given ?? {}, 'library', 'mcpServers');
  if (!options.strict) {
    search.readSettings();
    if (options.sources.includes('local')) search.readLocal();
    if (options.sources.includes('project')) search.readProject();
    if (options.sources.includes('user')) search.readUser();
    for (const directory of options.plugins ?? []) search.readPlugin(directory);
  }
  return search.found();
}

class Search {
  readonly #servers = new Map<string, ServerConfig>();
  readonly #left: FoundServers['left'] = [];
  readonly #problems: string[] = [];
  readonly #broken: FoundServers['broken'] = [];
  /** Each file is read once, however often it is needed. */
  readonly #read = new Map<string, Record<string, unknown> | undefined>();
  #fatal: string | undefined;

  constructor(private readonly options: FindOptions) {}

  found(): FoundServers {
    const servers = [...this.#servers.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return {
      servers,
      left: this.#left,
      problems: this.#problems,
      broken: this.#broken,
      fatal: this.#fatal,
    };
  }

  readFlags(): void {
    for (const value of this.options.flags ?? []) {
      if (value.trim() === '') {
        this.#fatal ??= '--mcp-config is empty: expected a file or a JSON object';
        continue;
      }
      const inline = value.trimStart().startsWith('{');
      const source = inline ? '--mcp-config' : `--mcp-config ${value}`;
      const text = inline ? value : this.#readFlagFile(value);
      if (text === undefined) continue;
      const servers = parseServers(text);
      if (typeof servers === 'string') this.#fatal ??= `${source}: ${servers}`;
      else this.take(servers, 'flag', source);
    }
  }

  readSettings(): void {
    for (const { name, config, file, layer } of this.options.settings.mcpServers) {
      const scope = layer === 'cli' || layer === 'session' ? 'flag' : layer;
      this.take({ [name]: config }, scope, file);
    }
  }

  /** Stored by the user for this one repository, outside of it. */
  readLocal(): void {
    const { home, root, userHome } = this.options;
    const own = this.#readRecord(join(home, 'mcp.json'), maxFileSize);
    const foreign = this.#readForeign(userHome);
    for (const [source, file] of [
      [join(home, 'mcp.json'), own],
      [join(userHome, '.claude.json'), foreign],
    ] as const) {
      const project = isRecord(file?.projects) ? file.projects[root] : undefined;
      if (isRecord(project) && isRecord(project.mcpServers)) this.take(project.mcpServers, 'local', source);
    }
  }

  /** Servers of the repository are used only if the user trusts them, one by one. */
  readProject(): void {
    const { root, trust, settings } = this.options;
    for (const path of projectFiles(this.options)) {
      const read = readPlainFile({ path, holds: 'servers', largest: maxFileSize, root });
      if (!read.ok) this.#problems.push(read.problem.message);
      if (!read.ok || !read.value) continue;
      const pieces = mcpPieces(pieceFile(root, path), read.value.text);
      if (!pieces.ok) {
        this.#problems.push(pieces.problem.message);
        continue;
      }
      const { leadsTo } = read.value;
      for (const found of pieces.value) {
        const piece = leadsTo === undefined ? found : { ...found, leadsTo };
        const name = piece.name ?? '';
        if (isSwitchedOff(name, settings)) this.#leave(name, path, 'it is disabled in the settings');
        else if (trust.isTrusted(piece)) this.take({ [name]: piece.content }, 'project', path);
        else if (leadsTo !== undefined)
          this.#leave(name, path, 'links that point outside the repository have no effect');
        else this.#leave(name, path, trust.findStanding(piece) === 'changed' ? changed : untrusted);
      }
    }
  }

  readUser(): void {
    const { home, userHome } = this.options;
    const own = join(home, 'mcp.json');
    this.take(this.#readRecord(own, maxFileSize)?.mcpServers ?? {}, 'user', own);
    this.take(this.#readForeign(userHome)?.mcpServers ?? {}, 'user', join(userHome, '.claude.json'));
  }

  /** Its entries may refer to the plugin's directory. */
  readPlugin(directory: string): void {
    const { servers, problems } = readPluginServers(directory);
    this.#problems.push(...problems);
    const place = { CADRE_PLUGIN_ROOT: directory, CLAUDE_PLUGIN_ROOT: directory };
    const environment = { ...this.options.environment, ...place };
    for (const { name, value, source } of servers)
      this.take({ [name]: value }, 'plugin', source, environment);
  }

  take(entries: unknown, scope: ServerScope, source: string, environment = this.options.environment): void {
    if (!isRecord(entries))
      return void this.#problems.push(`${source}: mcpServers: expected an object of servers`);
    for (const [name, value] of Object.entries(entries)) {
      if (this.#servers.has(name)) continue;
      const read = readServer(name, value, { scope, source, environment });
      if (!read.ok) {
        const problem = `${source}: ${describeFault(visibleLine(name, 80), read.problem)}`;
        this.#problems.push(problem);
        this.#broken.push({ name, problem });
        continue;
      }
      const refusal = findServerRefusal(read.value, this.options.settings);
      if (refusal) this.#leave(name, source, refusal);
      else this.#servers.set(name, read.value);
    }
  }

  #leave(name: string, source: string, reason: string): void {
    this.#left.push({ name, source, reason });
  }

  #readFlagFile(value: string): string | undefined {
    const path = join(value.startsWith('/') ? '' : this.options.cwd, value);
    const read = readPlainFile({ path, holds: 'servers', largest: maxFileSize });
    if (!read.ok) this.#fatal ??= `--mcp-config: ${read.problem.message}`;
    else if (!read.value) this.#fatal ??= `--mcp-config ${value}: expected an existing file or a JSON object`;
    return read.ok ? read.value?.text : undefined;
  }

  #readForeign(userHome: string): Record<string, unknown> | undefined {
    return this.#readRecord(join(userHome, '.claude.json'), maxForeignSize, '"mcpServers"');
  }

  #readRecord(path: string, largest: number, mentions?: string): Record<string, unknown> | undefined {
    if (!this.#read.has(path)) this.#read.set(path, this.#parse(path, largest, mentions));
    return this.#read.get(path);
  }

  /** `mentions`: text that a large file must contain to be worth parsing. */
  #parse(path: string, largest: number, mentions?: string): Record<string, unknown> | undefined {
    const read = readPlainFile({ path, holds: 'servers', largest, isUsers: true });
    if (!read.ok) this.#problems.push(read.problem.message);
    if (!read.ok || !read.value) return undefined;
    if (mentions !== undefined && !read.value.text.includes(mentions)) return undefined;
    const json =
      read.value.text.trim() === '' ? { ok: true as const, value: {} } : parseJson(read.value.text);
    if (json.ok && isRecord(json.value)) return json.value;
    this.#problems.push(json.ok ? `${path}: expected a JSON object` : notJson(path, json.problem));
    return undefined;
  }
}

const untrusted = 'this repository defines it and you have not trusted it (run cadre trust)';
const changed = 'this repository has changed it since you trusted it (run cadre trust)';

/** From the root down to the start; nearer files take precedence. */
export function projectFiles({ root, cwd }: { root: string; cwd: string }): string[] {
  const below = relativeParts(cwd, root) ?? [];
  const directories = [root, ...below.map((_, index) => join(root, ...below.slice(0, index + 1)))];
  return directories.reverse().map((directory) => join(directory, '.mcp.json'));
}

/**
 * The servers in a text, or what is wrong with it. Without `mcpServers` the object is taken as the servers themselves.
 */
function parseServers(text: string): Record<string, unknown> | string {
  const json = parseJson(text);
  if (!json.ok) return `not valid JSON: expected ${json.problem.expected} at line ${json.problem.line}`;
  if (!isRecord(json.value)) return 'expected {"mcpServers": {…}}';
  const servers = json.value.mcpServers ?? json.value;
  return isRecord(servers) ? servers : 'mcpServers: expected an object of servers';
}

function notJson(path: string, at: { line: number; column: number; expected: string }): string {
  return `${path}:${at.line}:${at.column}: not valid JSON: expected ${at.expected}`;
}
