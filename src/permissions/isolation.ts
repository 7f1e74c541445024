import { resolve } from 'node:path';
import { isInside, resolvePath } from '../places/paths.ts';
import { deny } from '../places/reasons.ts';
import type { Call, CallWorkspace, Isolation } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { findSandboxStanding } from '../sandbox/standing.ts';
import { isInOwnTree } from '../sandbox/temporary.ts';
import type { ShellWord } from '../shell/grammar/types.ts';
import { findChange, type JudgedCommand, readScript, type ShellAccess } from '../shell/walk/script.ts';
import { isWithin } from '../workspace/paths.ts';
import { outsideReason } from './outside-reason.ts';

/** An isolated agent writes nowhere else, least of all into the checkout it was made from. */
export function isolationRefusal(call: Call, access: Access): Decision | undefined {
  const { isolated } = call.workspace;
  if (isolated === undefined) return undefined;
  if (access.kind === 'shell') return shellRefusal(isolated, call, access);
  if (access.kind !== 'write' || access.path === call.workspace.planFile) return undefined;
  if (call.inside && isPrivate(access.path, isolated, call.workspace)) return undefined;
  const { scratchpad, teamMemory } = call.workspace;
  const shared = [scratchpad, teamMemory].filter((place) => place !== undefined);
  const places = [...isolated.writes, ...shared];
  const path = resolvePath(access.path, call.workspace);
  if (isInside(path, places, call.workspace)) return undefined;
  return refuse(isolated, outsideReason(path, 'it'));
}

/** In the sandbox's own `/tmp`: what is mounted there from outside is not. */
function isPrivate(path: string, { from }: Isolation, workspace: CallWorkspace): boolean {
  const { cwd, directories, home, userHome } = workspace;
  const mounted = [from, cwd, ...directories, home, userHome].flatMap((place) => [
    place,
    workspace.realPath(place),
  ]);
  return isInOwnTree(path) && !mounted.some((place) => isWithin(path, place) || isWithin(place, path));
}

/**
 * A sandboxed command cannot write elsewhere, whatever it says. One that is not sandboxed, and may change something, may
 * neither run in the main checkout nor name it: not behind `cd`, not by `git -C` or `GIT_DIR`.
 */
function shellRefusal(isolated: Isolation, call: Call, access: ShellAccess): Decision | undefined {
  if (findSandboxStanding(call, access) === 'inside') return undefined;
  const script = readScript(access, call.workspace);
  if (findChange(script) === undefined) return undefined;
  const isClosed = (path: string) => {
    const real = call.workspace.realPath(path);
    const isOwn = (one: string) => isolated.writes.some((place) => isWithin(one, place));
    return isWithin(real, isolated.from) && !isOwn(path) && !isOwn(real);
  };
  for (const command of script.all) {
    const named = listPlaces(command).find(isClosed);
    if (named !== undefined) return refuse(isolated, `the command works on ${named} in the main checkout`);
  }
  return undefined;
}

/** The directory a command runs in, and everything in its text that could be a path. */
function listPlaces({ command }: JudgedCommand): string[] {
  const words: (ShellWord | undefined)[] = [
    ...command.words.slice(1),
    ...command.assignments.map(({ word }) => word),
    ...command.redirects.map(({ target }) => target),
  ];
  const texts = words.flatMap((word) => (word?.values ?? word?.guesses ?? []).map(({ text }) => text));
  const paths = texts
    .flatMap((text) => [text, text.slice(text.indexOf('=') + 1)])
    .filter((text) => /[/]|^\.\.$/.test(text));
  // Even with an unknown directory, an absolute path still says where it leads.
  const directories = command.directories.length > 0 ? command.directories : ['/'];
  return [
    ...directories,
    ...paths.flatMap((path) => directories.map((directory) => resolve(directory, path))),
  ];
}

function refuse({ writes }: Isolation, why: string): Decision {
  return deny('role', `this agent has its own worktree, ${writes[0]}, and writes only there; ${why}`);
}
