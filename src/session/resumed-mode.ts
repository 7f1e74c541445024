import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { PermissionMode } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { realPathOf } from '../workspace/real-path.ts';
import type { SessionOptions } from './options.ts';
import type { Restored } from './restore.ts';

export interface ResumedMode {
  /** Absent where settings decide. */
  mode?: PermissionMode;
  notices: string[];
}

/**
 * The mode in which a session goes on that is resumed: the one in which it was left, unless one is asked for now. What
 * asks nobody at all comes back only where it is allowed again, since whoever resumes may not be whoever had agreed.
 */
export function resumedMode(
  { permissionMode, allowBypass }: SessionOptions,
  settings: LoadedSettings,
  restored: Restored | undefined,
): ResumedMode {
  const was = restored?.state?.permissionMode;
  if (permissionMode !== undefined || was === undefined) return { notices: [] };
  const fresh = settings.permissions.defaultMode ?? 'default';
  const isRefused =
    (was === 'bypassPermissions' &&
      (allowBypass !== true || settings.permissions.disableBypassPermissionsMode)) ||
    (was === 'auto' && settings.permissions.disableAutoMode);
  if (isRefused)
    return {
      notices: [
        `The session was left in mode ${was}, which is not allowed now: it goes on in mode ${fresh}.`,
      ],
    };
  const notice = `The session goes on in mode ${was}, in which it was left. --permission-mode chooses another.`;
  return { mode: was, notices: was === fresh ? [] : [notice] };
}

/** The file that it was planning in. What a transcript says is checked: nothing else can be made writable by it. */
export function resumedPlanFile(restored: Restored | undefined, directory: string): string | undefined {
  const file = restored?.state?.planFile;
  if (typeof file !== 'string' || dirname(file) !== realPathOf(directory)) return undefined;
  if (!/^plan-[\w-]{1,64}\.md$/.test(basename(file))) return undefined;
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found === undefined || found.isFile() ? file : undefined;
}
