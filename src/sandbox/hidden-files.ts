import { FollowLinks } from '../places/led-places.ts';
import { listTwinNames, matchesPathRule } from '../places/path-rules.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { SandboxSettings } from '../settings/sandbox.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import type { SystemView } from './bwrap/system-view.ts';
import { nameSource } from './denials.ts';
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
  const { allowRead, denyRead, denyWrite } = settings.filesystem;
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
  let view: (ReturnType<typeof build> & { at: number }) | undefined;
  return (path) => {
    const names = listTwinNames({ given: path, real: workspace.realPath(path) }, workspace);
    if (names.some((name) => isBelow(name, own))) return `${workspace.home} holds settings and state`;
    if (names.some((name) => wanted.some((one) => isBelow(name, one)))) return undefined;
    const denying = denyRead.find((rule) =>
      matchesPathRule(rule, { given: path, real: workspace.realPath(path) }, 'read', workspace),
    );
    if (denying) return `${nameSource(denying, denyRead, denyWrite)} hides it`;
    if (!view || now() - view.at >= freshMs) view = { ...build(), at: now() };
    const { hidden, shown } = view;
    const isHidden = (name: string) => measureDepth(name, hidden) > measureDepth(name, [...places, ...shown]);
    return names.some(isHidden) ? 'the sandbox hides it' : undefined;
  };
}

/** A worktree is filled with thousands of files; a home gets new ones. */
const freshMs = 1000;

const nothing: SystemView = { hidden: [], shown: [], links: [], closed: [] };

function measureDepth(path: string, places: readonly string[]): number {
  return Math.max(-1, ...places.filter((place) => isBelow(path, place)).map((place) => place.length));
}
