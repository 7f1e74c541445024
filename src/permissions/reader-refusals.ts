import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { lookAtFiles } from '../shell/look-files.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { openStarts } from '../workspace/worktrees/twins.ts';
import { openPathRefusal, type PathRefusal } from './path-refusal.ts';

/** What rules and walls say about files that no call of an agent names. */
export interface ReaderRefusals {
  /** Why a deny rule closes a file to readers. */
  byRule(path: string): PathRefusal | undefined;
  /** Why a file is not read for a model, by rules and by what the sandbox hides from commands. */
  reading(path: string): Promise<PathRefusal | undefined>;
  /** Why a file is not changed by the work of an agent. */
  writing(path: string): string | undefined;
}

interface ReaderPlace {
  cwd: string;
  root: string;
  userHome: string;
  environment: Readonly<Record<string, string>>;
  layout: { home: string };
}

export function openRefusals(
  place: ReaderPlace,
  settings: LoadedSettings,
  rules: readonly Rule[],
): ReaderRefusals {
  const { cwd, root, userHome, environment } = place;
  const { home } = place.layout;
  const { additionalDirectories: directories } = settings.permissions;
  const workspace: CallWorkspace = {
    ...{ cwd, directories, home, userHome },
    realPath: resolveRealPath,
    findStarts: openStarts(home),
    look: lookAtFiles([cwd, ...directories], undefined, environment),
  };
  const byRule = openPathRefusal(rules, 'read', workspace);
  const writing = openPathRefusal(rules, 'write', workspace);
  // Few sessions import anything or make a worktree: the walls are loaded with the first file.
  let walls: Promise<(path: string) => string | undefined> | undefined;
  const openWalls = async () => {
    const { openHiddenFiles } = await import('../sandbox/hidden-files.ts');
    return openHiddenFiles({ settings: settings.sandbox, environment, workspace, checkouts: [root] });
  };
  return {
    byRule,
    async reading(path) {
      const refused = byRule(path);
      if (refused) return refused;
      walls ??= openWalls();
      const reason = (await walls)(path);
      return reason === undefined ? undefined : { reason, isWhole: false };
    },
    writing: (path) => writing(path)?.reason,
  };
}
