import { statTarget } from '../lib/files/entry-at.ts';
import { FollowLinks } from '../places/led-places.ts';
import { listTwinNames, matchesPathRule } from '../places/path-rules.ts';
import { rememberPaths, resolvePath } from '../places/paths.ts';
import { nameRule } from '../places/reasons.ts';
import { findSharedFiles, formatIdentity, isShared } from '../places/shared-files.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { SandboxSettings } from '../settings/loaded.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import type { SystemView } from './bwrap/system-view.ts';
import { isBelow, openLooks } from './guard/look.ts';
import { ToolChainSecrets } from './tool-chain-secrets.ts';
import { buildSandboxView } from './view.ts';

export interface HiddenFilesOptions {
  settings: SandboxSettings;
  environment: Readonly<Record<string, string | undefined>>;
  /** Where agents work. */
  workspace: CallWorkspace;
  /** Checkouts that belong to the work beyond it. */
  checkouts?: readonly string[];
}

/**
 * Why the sandbox hides a file from commands, whether or not there is a sandbox: Cadre reads no such file for a model either.
 * The same places as in a command's own view of the home; the machine around it is not looked at.
 */
export function openHiddenFiles(
  options: HiddenFilesOptions,
  now: () => number = () => performance.now(),
): (path: string) => string | undefined {
  const { settings, environment, workspace, checkouts = [] } = options;
  const { allowRead, denyRead } = settings.filesystem;
  const wanted = allowRead.map(resolveRealPath);
  const places = [workspace.cwd, ...workspace.directories, ...checkouts].map(resolveRealPath);
  const own = resolveRealPath(workspace.home);
  const build = () =>
    buildSandboxView(
      {
        ...{ userHome: workspace.userHome, home: workspace.home, environment, system: nothing },
        ...{ programs: '', workspace: places, roots: [], secrets: new ToolChainSecrets() },
        targets: { links: new FollowLinks() },
      },
      openLooks(),
    );
  const isWanted = (name: string) => wanted.some((one) => isBelow(name, one));
  const look = () => {
    const { hidden, shown, credentials } = build();
    return {
      ...{ hidden, shown, at: now() },
      around: rememberPaths(workspace),
      // A copy of such a file is a new file: nothing would tell later what it is.
      ownFiles: findSharedFiles([own]),
      credentials: findSharedFiles(credentials.filter((one) => !isWanted(one))),
    };
  };
  let seen: ReturnType<typeof look> | undefined;
  return (path) => {
    if (!seen || now() - seen.at >= freshMs) seen = look();
    const { hidden, shown, around, ownFiles, credentials } = seen;
    const resolved = resolvePath(path, around);
    const names = listTwinNames(resolved, around);
    if (names.some((name) => isBelow(name, own))) return `${workspace.home} holds settings and state`;
    if (names.some(isWanted)) return undefined;
    const denying = denyRead.find((rule) => matchesPathRule(rule, resolved, 'read', around));
    if (denying) return `${nameRule(denying)} hides it`;
    const isHidden = (name: string) => measureDepth(name, hidden) > measureDepth(name, [...places, ...shown]);
    if (names.some(isHidden)) return 'the sandbox hides it';
    const stat = statTarget(path);
    if (!stat || !isShared(stat)) return undefined;
    if (ownFiles.has(formatIdentity(stat))) return `it is a hard link to a file in ${workspace.home}`;
    const credential = credentials.get(formatIdentity(stat));
    return credential === undefined
      ? undefined
      : `it is a hard link to ${credential}, which the sandbox hides`;
  };
}

/** A worktree is filled with thousands of files; a home gets new ones. */
const freshMs = 1000;

const nothing: SystemView = { hidden: [], shown: [], links: [], closed: [] };

function measureDepth(path: string, places: readonly string[]): number {
  return Math.max(-1, ...places.filter((place) => isBelow(path, place)).map((place) => place.length));
}
