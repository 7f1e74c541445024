import { basename, dirname, join } from '../lib/files/exact-paths.ts';
import type { GitScopes } from '../places/git-scopes.ts';
import type { LedPlace } from '../places/led-places.ts';
import { ownSecrets } from '../places/protected.ts';
import type { ProtectedTargets } from '../places/protected-targets.ts';
import type { ConfinementScope, Launch, PathAccess, PathEntry, SandboxPolicy } from '../protocol/sandbox.ts';
import type { SandboxSettings } from '../settings/loaded.ts';
import { findMainRoot } from '../workspace/git/main-root.ts';
import { resolveOpened, resolveRealPath } from '../workspace/real-path.ts';
import type { SystemView } from './bwrap/system-view.ts';
import { listCheckoutsAround } from './checkouts-around.ts';
import type { ClosedNames } from './closed-names.ts';
import { closeTargets } from './closed-targets.ts';
import { openCopies } from './copies.ts';
import type { Denials } from './denials.ts';
import { describeExposure, type Exposure } from './exposure.ts';
import { type GitPlace, isEmptyBranches } from './git-places.ts';
import { findGitPlace } from './guard/kept.ts';
import { isBelow, type Looks, openLooks, statEntry } from './guard/look.ts';
import { isInstalled } from './guard/names.ts';
import {
  exposedInGit,
  type FindLinks,
  findProtected,
  guardedDirectories,
  listExposed,
} from './guard/protected-places.ts';
import type { SharedNames } from './guard/shared-names.ts';
import { excludeStandIns } from './guard/stand-in-excludes.ts';
import type { GuardSurvey } from './guard/survey.ts';
import { visibleInOwnTrees } from './temporary.ts';
import type { ToolChainSecrets } from './tool-chain-secrets.ts';
import { buildSandboxView } from './view.ts';

export interface PolicyInputs {
  settings: SandboxSettings;
  /** Our own state directory. */
  home: string;
  userHome: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Parts of the machine hidden from this user. */
  system(): SystemView;
  /** Paths that agents were given: outputs of their commands, skills, plugins. */
  given(): readonly string[];
  /** Reads git's configuration, which names what git runs. */
  scopes?: GitScopes | undefined;
  /** Knows where protected paths lead by links. */
  targets?: ProtectedTargets | undefined;
  /** Knows the credentials in tool chains of the home. */
  secrets: ToolChainSecrets;
  /** Knows the other names of closed files where the survey does not look. */
  closedNames?: ClosedNames | undefined;
  temporary: string;
  /** Paths that settings make writable, as long as they are unchanged since the start. */
  writable(): string[];
  /** Stand-ins for missing directories, and where files for mounts are made. */
  standIns?: { paths: readonly string[]; directory: string } | undefined;
  denials: Denials;
  /** Findings deep in these directories; none where nothing can be written. */
  survey?: Pick<GuardSurvey, 'present' | 'repositories' | 'unmounted' | 'shared' | 'unsearched'> | undefined;
  /** Other names of files in the workspace; known without a survey of what is protected. */
  names?: SharedNames | undefined;
}

/** Where a missing protected path could appear. */
export interface Exposed {
  directories: string[];
  git: Pick<GitPlace, 'directory' | 'guarded'>[];
  /** Single paths. */
  paths: string[];
  /** Paths that may be anything but a link. */
  noLinks?: string[] | undefined;
}

export interface Plan {
  policy: SandboxPolicy;
  /** Where the command can write: directories, real. */
  roots: string[];
  exposed: Exposed;
}

/** The paths a command may touch, from the workspace, the settings and the present files. */
export function planPolicy(
  launch: Launch,
  scope: ConfinementScope,
  inputs: PolicyInputs,
  roots: string[],
  scratch?: string,
): Plan {
  const { settings, home, userHome } = inputs;
  const looks = openLooks();
  const cwd = resolveRealPath(launch.cwd);
  const guarded = guardedDirectories(roots, cwd);
  const deep = inputs.survey ?? noFindings;
  const closedBelow = [...deep.present, ...deep.shared, ...deep.unsearched];
  const { present, git } = findProtected(guarded, roots, deep.repositories, inputs.scopes);
  const guardedGit = git.flatMap((place) => place.guarded).filter((path) => !isEmptyBranches(path));
  const directories = scope.directories.map(resolveRealPath);
  const listPaths = (denied: Denials['reading']) => denied.map(({ path }) => path);
  const repositories = git.flatMap((place) => place.open ?? [place.directory]);
  const refused = listPaths(inputs.denials.writing);
  const denied = {
    reading: listPaths(inputs.denials.reading),
    // Everything else is read-only anyway, and an entry for it would only make it visible.
    writing: refused.filter((path) => [...roots, ...repositories].some((place) => isBelow(path, place))),
  };
  const wanted = resolveOpened(settings.filesystem.allowRead);
  const isWanted = (path: string) => wanted.some((one) => isBelow(path, one));
  const isRefused = (path: string) => !isWanted(path) && denied.reading.some((one) => isBelow(path, one));
  const mainRoots = directories.map(findMainRoot).map(resolveRealPath);
  const workspace = [...new Set([...directories, ...mainRoots.filter((path) => !isRefused(path))])];
  // The directory of worktrees is hidden as a whole for the copies in those of others.
  const itself = listPaths(inputs.denials.reading.filter(({ holdsCopies }) => !holdsCopies));
  const around = listCheckoutsAround(directories, userHome).filter(
    (path) => isWanted(path) || !itself.some((one) => isBelow(path, one)),
  );
  const view = buildSandboxView(
    { ...inputs, workspace, roots, system: inputs.system(), programs: launch.env.PATH ?? '' },
    looks,
  );
  const copies = openCopies([...directories, ...roots], home);
  const isCopied = (path: string) => [...copies.find(path), ...copies.listFolders(path)];
  const viewHidden = [...view.hidden, ...view.hidden.flatMap(isCopied)];
  // No setting shows our own files: keys, tokens, conversations of other sessions and answers to commands.
  const own = looks.real(home);
  const asked = (scope.shows ?? []).filter((path) => looks.real(path) === path);
  const revealed = asked.filter(
    (path) => measureDepth(path, viewHidden) > measureDepth(path, [...roots, ...view.shown]),
  );
  const byLink = (scope.shows ?? [])
    .map((path) => ({ path, target: looks.real(path) }))
    .filter(({ path, target }) => path !== target && asked.includes(target))
    .filter(({ path }) => looks.real(dirname(path)) === dirname(path));
  const isRevealed = (path: string) => revealed.some((one) => isBelow(path, one));
  const covered = viewHidden.filter((path) => !isRevealed(path));
  const given = inputs
    .given()
    .map(looks.real)
    .filter((path) => isBelow(path, own) || !isRefused(path));
  const ownLinks = findOwnLinks(own, inputs.targets, [...workspace, ...roots, ...given]);
  const ownFiles = [...ownSecrets.map((name) => join(own, name)), ...ownLinks];
  const unsurveyed = [...workspace, ...around].filter((path) => !roots.some((root) => isBelow(path, root)));
  const trees = unsurveyed.map((path) => join(path, '.cadre/worktrees'));
  const sameFiles = (paths: readonly string[]) => [
    ...(inputs.names?.of(paths) ?? []),
    ...(inputs.closedNames?.findNames(unsurveyed, paths, [...trees, own]) ?? []),
  ];
  const credentials = view.credentials.filter((path) => !isWanted(path));
  const closedToReads = [...covered, ...denied.reading, ...sameFiles([...denied.reading, ...credentials])];
  const standIns = listCopyStandIns(inputs);
  const hidden = [...new Set(closedToReads)]
    .filter((path) => !isWanted(path))
    .concat(own, ownLinks, sameFiles(ownFiles), [own, ...ownLinks].flatMap(copies.find), standIns);
  const shown = [
    ...[...wanted, ...revealed].filter((path) => !isBelow(path, own)),
    ...view.shown.filter((path) => !isRefused(path)),
    ...workspace,
    ...around,
    ...given,
  ].filter((path) => measureDepth(path, hidden) > measureDepth(path, roots));
  const protectedOnes = [...present, ...guardedGit, ...git.flatMap((place) => place.closed)];
  const named = [...protectedOnes, ...closedBelow, ...denied.writing, ...revealed].map(looks.real);
  const copied = deep.unmounted.filter((path) => !isInstalled(path)).map(findGitPlace);
  const origins = [...protectedOnes, ...deep.present, ...copied, ...git.flatMap(({ runs }) => runs)];
  const led = followProtected(inputs.targets, origins, roots);
  const isThere = (path: string) => looks.at(path) !== undefined;
  const behind = closeTargets(led, roots, named.filter(isThere), looks);
  const closedOnes = [...named, ...behind.present];
  const readOnly = [...closedOnes, ...(inputs.names?.of(closedOnes, true) ?? [])];

  const open = [...roots, ...shown];
  const isSeen = (path: string) =>
    measureDepth(path, hidden) < 0 || measureDepth(path, open) > measureDepth(path, hidden);
  const within = (path: string) => roots.some((root) => isBelow(path, root) && path !== root);
  const closed = [...readOnly, ...hidden].filter((path) => within(path) && looks.at(path) !== undefined);
  const locked = [...present, ...closedBelow, ...refused, home].map(looks.real);
  const isLocked = (path: string) => locked.some((one) => isBelow(path, one));
  const linkedGit = deep.repositories
    .map((path) => join(path, '.git'))
    .filter((path) => looks.at(path)?.isSymbolicLink());
  const watched = [...behind.watched, ...linkedGit];
  const held = [...closed, ...guarded, ...repositories, ...watched].flatMap((path) =>
    listHolders(path, roots),
  );
  // None of them may be moved away: a new one in its place would have no guards.
  const pinned = [...roots, ...guarded, ...repositories, ...held].filter((path) => !isLocked(path));
  const paths = [
    // First: of two equally strict entries for a path the first wins.
    ...excludeStandIns(git, inputs.standIns),
    ...entries(looks, [...new Set(pinned)].filter(isSeen), 'write', true),
    ...entries(looks, roots, 'write'),
    ...entries(looks, hidden, 'none'),
    // It exists, however little is in it, and refuses writes like the rest of the machine.
    ...entries(
      looks,
      hidden.filter((path) => path === looks.real(userHome)),
      'none',
      true,
    ),
    ...entries(
      looks,
      [...shown, ...visibleInOwnTrees(launch, [...workspace, ...around], inputs, roots)].filter(isSeen),
      'read',
    ),
    ...entries(looks, [...readOnly.filter(isSeen), ...standIns], 'read'),
    ...(scratch === undefined ? [] : entries(looks, [looks.real(scratch)], 'write')),
  ];
  const absent = denied.writing.filter((path) => looks.at(path) === undefined && within(path));
  return {
    policy: {
      paths,
      temporary: inputs.temporary,
      links: [...view.links, ...byLink].filter(
        ({ path }) => !isBelow(path, own) && measureDepth(path, open) < measureDepth(path, hidden),
      ),
      network: buildNetwork(settings),
      unixSockets: settings.network.allowAllUnixSockets === true,
      localBinding: settings.network.allowLocalBinding === true,
    },
    roots,
    exposed: {
      directories: guarded,
      git: git.filter(isWritten).map(({ directory, guarded: inside }) => ({ directory, guarded: inside })),
      // Nothing can be mounted on a link.
      paths: [
        ...[
          ...absent,
          ...watched,
          ...git.filter((place) => !isWritten(place)).flatMap((place) => place.guarded),
        ],
        ...deep.present.filter((path) => looks.at(path)?.isSymbolicLink()),
      ],
      noLinks: behind.noLinks,
    },
  };
}

/** Existing entries at protected paths: called before and after. */
export function describeProtected(
  { directories, git, paths, noLinks = [] }: Exposed,
  links: FindLinks,
): Exposure {
  const inGit = git.flatMap((place) => exposedInGit(place, links));
  const linked = noLinks.filter((path) => statEntry(path)?.isSymbolicLink());
  return describeExposure([...directories.flatMap(listExposed), ...inGit, ...paths, ...linked]);
}

const noFindings = { present: [], repositories: [], unmounted: [], shared: [], unsearched: [] };

/**
 * Stand-ins for directories in which worktrees will be, with copies of what a rule hides: covered now, so that the first one
 * made need not end a command that runs already.
 */
function listCopyStandIns({ standIns, denials }: PolicyInputs): string[] {
  const folders = denials.reading.filter(({ holdsCopies }) => holdsCopies);
  return (standIns?.paths ?? []).filter((place) => folders.some(({ path }) => isBelow(path, place)));
}

/** Where files of our own directory lead that are links; the user's work only where it is a secret. */
function findOwnLinks(own: string, targets: ProtectedTargets | undefined, seen: readonly string[]): string[] {
  // Only links right in it count, so nothing below it is looked into: every command changes something there.
  const led = targets?.links.from([own], 1).filter(({ by }) => dirname(by) === own) ?? [];
  const isSecret = ({ by }: LedPlace) => ownSecrets.some((name) => name.split('/')[0] === basename(by));
  const isOthers = ({ path }: LedPlace) => !seen.some((one) => isBelow(path, one) || isBelow(one, path));
  return led.filter((place) => isSecret(place) || isOthers(place)).map(({ path }) => path);
}

/** Where protected paths lead, and the user's own configuration; not for a command that writes nothing. */
function followProtected(
  targets: ProtectedTargets | undefined,
  paths: readonly string[],
  roots: readonly string[],
): LedPlace[] {
  return targets && roots.length > 0 ? [...targets.links.from(paths), ...targets.ofUser(roots)] : [];
}

/** A repository elsewhere is not: git only reads it. */
function isWritten({ open }: GitPlace): boolean {
  return open === undefined || open.length > 0;
}

/** For a command that is known to change nothing only what it stores. The whole machine is not a workspace. */
export function writableRoots(
  scope: ConfinementScope,
  { writable }: Pick<PolicyInputs, 'writable'>,
): string[] {
  const isReal = (path: string) => resolveRealPath(path) === path && statEntry(path)?.isDirectory() === true;
  if (scope.writes === 'none') return (scope.stores ?? []).filter(isReal);
  const wanted = [...scope.directories, ...writable()].map(resolveRealPath);
  return [...new Set(wanted)].filter((path) => path !== '/' && statEntry(path) !== undefined);
}

/** The directories between a root and a path: moving them would move protected paths along. */
function listHolders(path: string, roots: readonly string[]): string[] {
  const holders: string[] = [];
  for (const root of roots)
    for (let up = dirname(path); isBelow(up, root) && up !== root; up = dirname(up)) holders.push(up);
  return holders;
}

function measureDepth(path: string, places: readonly string[]): number {
  return Math.max(-1, ...places.filter((place) => isBelow(path, place)).map((place) => place.length));
}

function entries(looks: Looks, paths: readonly string[], access: PathAccess, pinned = false): PathEntry[] {
  return paths.flatMap((path) => {
    const found = looks.at(path);
    // Links were already followed; one that is left leads nowhere. Neither it nor a socket can be mounted on.
    if (!found || !(found.isDirectory() || found.isFile())) return [];
    return [{ path, access, isDirectory: found.isDirectory(), ...(pinned ? { pinned: true } : {}) }];
  });
}

function buildNetwork({ network }: SandboxSettings): SandboxPolicy['network'] {
  if (network.allowedDomains.length === 0) return 'none';
  return { allowed: network.allowedDomains, denied: network.deniedDomains };
}
