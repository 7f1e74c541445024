import { basename, dirname } from 'node:path';
import { listCheckCommands } from '../checks/check-findings.ts';
import { defineChecks, findRedefined } from '../checks/definitions.ts';
import { findChecks } from '../checks/find-checks.ts';
import { type ProjectFiles, systemProjectFiles } from '../checks/project-files.ts';
import { checkNames } from '../checks/types.ts';
import type { WorkingDirectory } from '../protocol/index.ts';
import type { CheckCommand } from '../protocol/receipt.ts';
import type { SeenChange } from '../receipts/evidence.ts';
import { readKept } from '../store/files/kept-bytes.ts';
import type { Kernel } from './kernel.ts';

export interface ProjectChecks {
  checks: Record<string, CheckCommand[]>;
  /** Why a check is not what it was when the session began, by its name. */
  redefined: Record<string, string>;
}

/** The project's checks at these places, of which the last that has a check decides what it is. */
export function readProjectChecks(
  { settings, identity }: Kernel,
  places: readonly Pick<WorkingDirectory, 'current' | 'root'>[],
  changes: readonly SeenChange[],
): ProjectChecks {
  const earlier = listFirst(changes, identity.files.fileHistory);
  const read: ProjectChecks = { checks: {}, redefined: {} };
  for (const { current: cwd, root } of places) {
    const find = (listing: ProjectFiles) => findChecks({ cwd, root, listing, settings: settings.checks });
    const now = find(systemProjectFiles);
    const commands = listCheckCommands(now);
    const redefined = findRedefined(
      defineChecks(find(earlier), earlier),
      defineChecks(now, systemProjectFiles),
    );
    for (const name of checkNames) {
      const [own, reason] = [commands[name], redefined[name]];
      if (!own && reason === undefined) continue;
      delete read.redefined[name];
      if (own) read.checks[name] = own;
      if (reason !== undefined) read.redefined[name] = reason;
    }
  }
  return read;
}

/** The files as they were before the first recorded change of each. */
function listFirst(changes: readonly SeenChange[], kept: string): ProjectFiles {
  const first = new Map<string, string | null>();
  for (const { path, before } of changes) if (!first.has(path)) first.set(path, before);
  return {
    names(directory) {
      const names = new Set(systemProjectFiles.names(directory));
      for (const [path, before] of first) {
        if (dirname(path) !== directory) continue;
        if (before === null) names.delete(basename(path));
        else names.add(basename(path));
      }
      return [...names];
    },
    read(path) {
      const before = first.get(path);
      if (before === undefined) return systemProjectFiles.read(path);
      if (before === null) return undefined;
      const bytes = readKept(kept, before);
      // What it said is not known, so it does not say the same.
      return bytes.ok ? Buffer.from(bytes.value).toString('utf8') : bytes.problem.message;
    },
    locate: systemProjectFiles.locate,
    readSince: systemProjectFiles.readSince,
  };
}
