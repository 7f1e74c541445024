import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { withFileLock } from '../lib/files/file-lock.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';
import { parseJson } from '../settings/json.ts';
import { readPlainFile } from '../settings/read-file.ts';

export type EditableScope = 'user' | 'local' | 'project';

export const editableScopes: readonly EditableScope[] = ['local', 'user', 'project'];

/** Where the servers of a scope are stored: `project` in the repository, the others in our own home. */
export interface ConfigPlace {
  home: string;
  root: string;
  clock: Clock;
}

type Servers = Record<string, unknown>;

export function configFile(scope: EditableScope, { home, root }: ConfigPlace): string {
  return scope === 'project' ? join(root, '.mcp.json') : join(home, 'mcp.json');
}

/** Changes the servers of one scope; everything else in the file stays. Returns the result of the change. */
export async function editServers<T>(
  scope: EditableScope,
  place: ConfigPlace,
  change: (servers: Servers) => Result<T>,
): Promise<Result<T>> {
  const path = configFile(scope, place);
  const home = ensurePrivateDirectory(place.home);
  if (!home.ok) return home;
  // The lock is in our own home, since a repository should get no files of ours.
  return withFileLock(join(place.home, 'mcp.json.lock'), place.clock, () => {
    const read = readJson(path);
    if (!read.ok) return read;
    const json = read.value;
    const servers = openServers(json, scope, place.root);
    if (!servers) return usage(`${path}: mcpServers: expected an object of servers`, 'Fix the file first.');
    const changed = change(servers);
    if (!changed.ok) return changed;
    const written = writeAtomic(path, `${JSON.stringify(json, null, 2)}\n`, chooseFileMode(path, scope));
    return written.ok ? changed : written;
  });
}

function readJson(path: string): Result<Record<string, unknown>> {
  const read = readPlainFile({ path, holds: 'servers', largest: 1024 * 1024 });
  if (!read.ok) return read;
  if (!read.value || read.value.text.trim() === '') return ok({});
  const json = parseJson(read.value.text);
  if (json.ok && isRecord(json.value)) return ok(json.value);
  const at = json.ok ? '' : `:${json.problem.line}:${json.problem.column}`;
  const expected = json.ok ? 'a JSON object' : `valid JSON: ${json.problem.expected}`;
  return fail({
    kind: 'usage',
    message: `${path}${at}: expected ${expected}`,
    hint: 'Fix the file first.',
  });
}

/** The part of the file that holds them, made if it is missing. */
function openServers(json: Record<string, unknown>, scope: EditableScope, root: string): Servers | undefined {
  const holder = scope === 'local' ? below(below(json, 'projects'), root) : json;
  return below(holder, 'mcpServers');
}

function below(json: Record<string, unknown> | undefined, key: string): Record<string, unknown> | undefined {
  if (!json) return undefined;
  const found = Object.hasOwn(json, key) ? json[key] : undefined;
  if (found !== undefined) return isRecord(found) ? found : undefined;
  const made: Record<string, unknown> = {};
  Object.defineProperty(json, key, { value: made, enumerable: true, writable: true, configurable: true });
  return made;
}

function chooseFileMode(path: string, scope: EditableScope): number {
  if (scope !== 'project') return 0o600;
  const found = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path));
  return found.isFile() ? found.mode & 0o777 : 0o644;
}
