import { openReadRefusal, openWriteRefusal, type ReadRefusal } from '../permissions/read-refusal.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import { openHiddenFiles } from '../sandbox/hidden-files.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { lookAtFiles } from '../shell/look-files.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { openStarts } from '../workspace/worktrees/twins.ts';
import type { Surroundings } from './surroundings.ts';

/** What rules and walls say about files that no call of an agent names. */
export interface Refusals {
  /** Why a file is not read for a model. `isUsers`: the user's own configuration asks for it, which no command can write. */
  reading(path: string, isUsers?: boolean): ReadRefusal | undefined;
  /** Why a file is not changed by the work of an agent. */
  writing(path: string): string | undefined;
}

export function openRefusals(
  place: Surroundings,
  settings: LoadedSettings,
  rules: readonly Rule[],
  added: readonly string[] = settings.permissions.additionalDirectories,
): Refusals {
  const { cwd, root, userHome, environment } = place;
  const { home } = place.layout;
  const workspace: CallWorkspace = {
    ...{ cwd, directories: added, home, userHome },
    realPath: resolveRealPath,
    findStarts: openStarts(home),
    look: lookAtFiles([cwd, ...added], undefined, environment),
  };
  const byRules = openReadRefusal(rules, workspace);
  const isHidden = openHiddenFiles({ settings: settings.sandbox, environment, workspace, checkouts: [root] });
  return {
    reading(path, isUsers = false) {
      const refused = byRules(path);
      if (refused || isUsers) return refused;
      const reason = isHidden(path);
      return reason === undefined ? undefined : { reason, isWhole: false };
    },
    writing: openWriteRefusal(rules, workspace),
  };
}
