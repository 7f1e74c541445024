import { lstatSync, readFileSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { visibleLine } from '../../lib/text/text.ts';
import type { ConfinedCommand } from '../../protocol/sandbox.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { outputName } from './output.ts';

export interface DirectoryWatch {
  file: string;
  notes: string[];
}

/** The directory in which the command starts: the root if the current one is gone. */
export function enterDirectory(context: ToolContext): DirectoryWatch {
  const file = context.outputs.pathFor(outputName(context.toolUseId, 'cwd'));
  const { current, root } = context.directory;
  const isThere = isDirectory(current);
  if (isThere && (!context.shell.confine || isEnterable(current))) return { file, notes: [] };
  context.directory.move(root);
  const why = isThere ? 'can no longer be entered' : 'is gone';
  return {
    file,
    notes: [`The working directory ${shown(current)} ${why}; the command ran in ${shown(root)}`],
  };
}

/**
 * The sandbox's message about a directory lost at the last moment. A command can print the same: then it moves its
 * agent to the root.
 */
export function couldNotEnter(output: string): boolean {
  return output.startsWith("bwrap: Can't chdir to ");
}

/** For a command that could not start in its directory: later ones start in the root. */
export function giveUpDirectory(watch: DirectoryWatch, { directory }: ToolContext): string[] {
  forgetDirectory(watch);
  if (directory.current === directory.root) return [];
  directory.move(directory.root);
  return [`The working directory is now ${shown(directory.root)}`];
}

/** Moves the agent to where the command ended; permissions there are judged call by call. */
export function leaveDirectory(
  watch: DirectoryWatch,
  context: ToolContext,
  confined?: ConfinedCommand,
): string[] {
  const path = takeFile(watch.file)?.replace(/\n$/, '');
  // The command can write anything there. Its shell writes a path without links.
  if (!path || !isAbsolute(path) || path === context.directory.current) return [];
  const stays = (why: string) => [`The working directory stays ${shown(context.directory.current)}: ${why}`];
  const unreachable = confined?.whyNotEntered(path);
  if (unreachable !== undefined) return stays(unreachable);
  if (!isDirectory(path) || resolveRealPath(path) !== path) return [];
  const refusal = context.moveRefusal?.(path);
  if (refusal !== undefined) return stays(refusal);
  context.directory.move(path);
  return [`The working directory is now ${shown(path)}`];
}

/** For a command that its agent no longer waits for: its final directory has no effect. */
export function forgetDirectory(watch: DirectoryWatch): void {
  takeFile(watch.file);
}

const maxPathLength = 8192;

function takeFile(path: string): string | undefined {
  try {
    // The command could write it: read no more than a path's length.
    const text = statSync(path).size <= maxPathLength ? readFileSync(path, 'utf8') : undefined;
    unlinkSync(path);
    return text;
  } catch {
    return undefined;
  }
}

/** The command chooses names: one with a newline must not pass for a line of the harness. */
function shown(path: string): string {
  return visibleLine(path, maxPathLength);
}

/** Whether this user may enter it and all its parents by permissions alone: root has no more rights in a sandbox. */
function isEnterable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory() && !mayEnter(stat)) return false;
    if (at === dirname(at)) return true;
  }
}

function mayEnter({ mode, uid, gid }: Stats): boolean {
  if (uid === process.getuid?.()) return (mode & 0o100) !== 0;
  const isOfGroup = gid === process.getgid?.() || process.getgroups?.().includes(gid) === true;
  return (mode & (isOfGroup ? 0o010 : 0o001)) !== 0;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
