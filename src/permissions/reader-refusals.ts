import type { RealPath } from '../lib/files/real-places.ts';
import { findCredential } from '../places/credentials.ts';
import { rememberPaths } from '../places/paths.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { lookAtFiles } from '../shell/look-files.ts';
import type { FileForModel, FileJudge } from '../workspace/file-judge.ts';
import { isWithin, splitPath } from '../workspace/paths.ts';
import { isPlainBelow, openRealPaths, resolveRealPath } from '../workspace/real-path.ts';
import { openStarts } from '../workspace/worktrees/twins.ts';
import { openPathRefusal, type PathRefusal } from './path-refusal.ts';

/** What rules and walls say about files that no call of an agent names. */
export interface ReaderRefusals extends FileJudge {
  /** Why a file is not copied for an agent, by rules and by what the sandbox hides from commands. */
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
  /** Directories of the workspace that the settings do not name. */
  added: readonly string[] = [],
): ReaderRefusals {
  const { cwd, root, userHome, environment } = place;
  const { home } = place.layout;
  const directories = [...settings.permissions.additionalDirectories, ...added];
  const roots = [...new Set([root, cwd, ...directories])];
  const workspace: CallWorkspace = {
    ...{ cwd, directories, home, userHome },
    realPath: resolveRealPath,
    openPaths: openRealPaths,
    findStarts: openStarts(home),
    look: lookAtFiles(roots, undefined, environment),
  };
  const byRule = openPathRefusal(rules, 'read', workspace);
  const writing = openPathRefusal(rules, 'write', workspace);
  // Few files are behind links, and few sessions import anything or make a worktree: the walls are loaded with the first.
  let walls: Promise<(path: string) => string | undefined> | undefined;
  const findWall = async (path: string) => {
    walls ??= openWalls();
    return (await walls)(path);
  };
  const openWalls = async () => {
    const { openHiddenFiles } = await import('../sandbox/hidden-files.ts');
    return openHiddenFiles({ settings: settings.sandbox, environment, workspace, checkouts: [root] });
  };
  // Thousands of files are copied at a time, and one look at the workspace tells the other names of all. A copy follows no
  // link, so what was seen a moment ago is enough.
  const judgeCopied = keepFresh(() => openPathRefusal(rules, 'read', rememberPaths(workspace)));
  const isOurs = (base: string) => roots.some((one) => isWithin(base, one));
  const judgePlain = (file: FileForModel) => {
    const { path, real, base, isNamed } = file;
    const refusal = byRule(path) ?? (real === path ? undefined : byRule(real));
    // A rule about the tool says nothing about a memory file or a skill, only about what is read like any other.
    if (refusal && (isNamed || !refusal.isWhole)) return refusal.reason;
    if (base === undefined) return undefined;
    const around = isOurs(base)
      ? workspace
      : { ...workspace, look: lookAtFiles([base], undefined, environment) };
    const found = findCredential({ given: path, real }, rememberPaths(around).look);
    return found === undefined ? undefined : `${found} may hold credentials`;
  };
  return {
    key: JSON.stringify([
      rules.filter(({ behaviour }) => behaviour === 'deny'),
      roots,
      settings.sandbox.filesystem,
    ]),
    judgePlain,
    judge(file) {
      const refusal = judgePlain(file);
      const { path, real, base, isNamed } = file;
      // The user's own files are in places that are hidden from commands, and so may those of a plugin be.
      if (refusal !== undefined || base === undefined || !isOurs(base)) return refusal;
      if (!isNamed && isPlainBelow(path, base, real)) return undefined;
      if (isOfGit(real)) return `it leads to ${real}, which is git's own`;
      return findWall(path).then((reason) => reason ?? findWall(real));
    },
    async reading(path) {
      const refused = judgeCopied()(path);
      if (refused) return refused;
      const reason = await findWall(path);
      return reason === undefined ? undefined : { reason, isWhole: false };
    },
    writing: (path) => writing(path)?.reason,
  };
}

/** The same value for a second. */
function keepFresh<T>(make: () => T): () => T {
  let kept: { value: T; at: number } | undefined;
  return () => {
    if (!kept || performance.now() - kept.at >= freshMs) kept = { value: make(), at: performance.now() };
    return kept.value;
  };
}

const freshMs = 1000;

/** Its settings may hold passwords of remotes. */
function isOfGit(real: RealPath): boolean {
  return splitPath(real).some((part) => part.toLowerCase() === '.git');
}
