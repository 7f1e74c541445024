import { nameRule } from '../places/reasons.ts';
import type { ConfinementScope, Launch } from '../protocol/sandbox.ts';
import type { SandboxSettings } from '../settings/loaded.ts';
import { findMainRoot } from '../workspace/git/main-root.ts';
import { resolveOpened, resolveOwnPath, resolveRealPath } from '../workspace/real-path.ts';
import { listCheckoutsAround } from './checkouts-around.ts';
import { type Copies, openCopies } from './copies.ts';
import { type DeniedPath, deniedPaths } from './denied-paths.ts';
import { isBelow, realIfThere, statEntry } from './guard/look.ts';
import { guardedDirectories } from './guard/protected-places.ts';

/** Paths that settings and rules close beyond what the sandbox closes by itself, with no link on the way. */
export interface Denials {
  readonly reading: readonly DeniedPath[];
  /** Also where nothing can be written anyway. */
  readonly writing: readonly DeniedPath[];
}

export const noDenials: Denials = { reading: [], writing: [] };

interface Around {
  settings: SandboxSettings;
  home: string;
  userHome: string;
}

/** `roots`: directories that the command can write. */
export function findDenials(
  launch: Launch,
  scope: ConfinementScope,
  { settings, home, userHome }: Around,
  roots: readonly string[],
): Denials {
  const { denyRead, denyWrite } = settings.filesystem;
  const rules = [...new Set([...scope.rules, ...denyRead, ...denyWrite])];
  if (rules.length === 0) return noDenials;
  const [cwd = '/', ...directories] = scope.directories;
  const places = [...scope.directories, ...(scope.start === undefined ? [] : [scope.start])].map(
    resolveRealPath,
  );
  // A rule applies to a command that only reads as well, and such a command has no roots; and to the main checkout, which
  // is visible from a worktree, as a checkout is from a directory below its top.
  const around = [...places.map(findMainRoot).map(resolveRealPath), ...listCheckoutsAround(places, userHome)];
  const guarded = guardedDirectories(
    [...new Set([...roots, ...places, ...around])],
    resolveRealPath(launch.cwd),
  );
  const copies = openCopies([...scope.directories, ...roots], home);
  const isolated =
    scope.start === undefined ? {} : { isolated: { writes: [], from: cwd, start: scope.start } };
  const workspace = {
    ...{ cwd, directories, home, userHome, realPath: resolveRealPath, ...isolated },
    findStarts: copies.findStarts,
  };
  const find = (tool: 'Read' | 'Edit') =>
    deniedPaths(rules, tool, guarded, workspace).flatMap(({ path, rule }): DeniedPath[] => {
      const real = resolveOwnPath(path);
      const twins = [...new Set([path, real].flatMap(copies.find).map(resolveRealPath))];
      return [
        { path: real, rule, ...(real === path ? {} : { given: path }) },
        ...twins.map((twin) => ({ path: twin, rule })),
      ];
    });
  // Processes outside do not exist inside, and nothing can be mounted there.
  const reading = find('Read').filter(({ path }) => !/^\/proc\/\d+(?:\/|$)/.test(path));
  return { reading: [...reading, ...findFolders(reading, copies)], writing: find('Edit') };
}

/** Where worktrees of other agents are, or will be, that have copies of denied paths. */
function findFolders(reading: readonly DeniedPath[], copies: Copies): DeniedPath[] {
  const found = reading.flatMap(({ path, rule }) =>
    copies.listFolders(path).map((folder) => [folder, { path: folder, rule, holdsCopies: true }] as const),
  );
  return [...new Map(found).values()];
}

/** Without directories that are not to be written as a whole, because of their own path or of one above. */
export function pickOpenRoots(roots: readonly string[], { writing }: Denials): string[] {
  return roots.filter((root) => !writing.some(({ path }) => isBelow(root, path)));
}

/** Beyond that `bwrap` refuses its arguments, of which it takes 9,000. */
export const maxDenied = 1_000;

/**
 * Why no command can run with these, and who says so; undefined where one can. A restriction must never be a way out of
 * the sandbox: the command is refused, no matter who wrote the restriction.
 */
export function explainUnusable(
  { reading, writing }: Denials,
  { allowRead }: Pick<SandboxSettings['filesystem'], 'allowRead'>,
  { shell, roots, workspace }: NeededPlaces,
): string | undefined {
  const closed = writing.filter(({ path }) => roots.some((root) => isBelow(path, root)));
  const all = [...reading, ...closed].filter(({ path }) => statEntry(path) !== undefined);
  const [first] = all.slice(maxDenied);
  if (first)
    return `The sandbox can hide at most ${maxDenied} single paths, not ${all.length}: see ${nameRule(first.rule)}. Deny the directories that contain them instead.`;
  const whole = reading.filter(({ holdsCopies }) => !holdsCopies);
  if (whole.length === 0) return undefined;
  const needed = [shell, ...neededInside].map(realIfThere).filter((path) => statEntry(path) !== undefined);
  for (const one of whole) {
    const hidden = needed.find((path) => isBelow(path, one.path));
    if (hidden !== undefined)
      return `No command can run in the sandbox without ${hidden}, and ${nameRule(one.rule)} hides ${one.path}. Remove that entry, or make it narrower.`;
  }
  const wanted = resolveOpened(allowRead);
  const places = workspace.filter((place) => !wanted.some((one) => isBelow(place, one)));
  for (const one of whole) {
    const hidden = places.find((place) => isBelow(place, one.path));
    if (hidden !== undefined)
      return `A command works in ${hidden}, and ${nameRule(one.rule)} hides ${one.path}. Remove that entry, make it narrower, or list the directory in sandbox.filesystem.allowRead.`;
  }
  return undefined;
}

/** What a command cannot do without. */
export interface NeededPlaces {
  shell: string;
  /** Directories that it can write, real. */
  roots: readonly string[];
  /** Directories that it works in, real. */
  workspace: readonly string[];
}

/** A file that every command needs is missing: what to say of restrictions that may be the reason. */
export function suspectDenials({ reading }: Denials, roots: readonly string[]): string | undefined {
  const outside = reading.find(
    ({ path }) => !roots.some((root) => isBelow(path, root)) && statEntry(path) !== undefined,
  );
  return outside
    ? `The program could not be started. ${nameRule(outside.rule)} hides ${outside.path}, which it may need: tell the user`
    : undefined;
}

/** Without these no shell starts: `bwrap`'s own trees, shells, and what loads them. */
const neededInside: readonly string[] = [
  ...['/proc', '/dev', '/bin/sh', '/bin/bash', '/usr/bin/env'],
  ...['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1', '/lib/ld-musl-x86_64.so.1'],
  ...['x86_64', 'aarch64'].flatMap((arch) => [
    `/lib/${arch}-linux-gnu/libc.so.6`,
    `/lib/ld-musl-${arch}.so.1`,
  ]),
  '/lib64/libc.so.6',
];
