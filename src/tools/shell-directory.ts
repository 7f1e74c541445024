import { readFileSync, statSync, unlinkSync } from 'node:fs';
import type { ConfinedCommand } from '../protocol/sandbox.ts';
import type { ToolContext } from '../protocol/tool.ts';
import { outputName } from './shell-output.ts';

export interface DirectoryWatch {
  file: string;
  notes: string[];
}

/** Where the command will start. A directory that is gone is given up for the root. */
export function enterDirectory(context: ToolContext): DirectoryWatch {
  const file = context.outputs.pathFor(outputName(context.toolUseId, 'cwd'));
  const { current, root } = context.directory;
  if (isDirectory(current)) return { file, notes: [] };
  context.directory.move(root);
  return { file, notes: [`The working directory ${current} is gone; the command ran in ${root}`] };
}

/** Moves the agent to where the command ended; whether it may do anything there is judged call by call. */
export function leaveDirectory(
  watch: DirectoryWatch,
  context: ToolContext,
  confined?: ConfinedCommand,
): string[] {
  const path = takeFile(watch.file)?.replace(/\n$/, '');
  if (path && confined?.isPrivate(path))
    return [`The working directory stays ${context.directory.current}: ${path} exists in the sandbox only`];
  if (!path || path === context.directory.current || !isDirectory(path)) return [];
  const refusal = context.moveRefusal?.(path);
  if (refusal !== undefined) return [`The working directory stays ${context.directory.current}: ${refusal}`];
  context.directory.move(path);
  return [`The working directory is now ${path}`];
}

/** For a command that its agent no longer waits for: where it ends moves nobody. */
export function forgetDirectory(watch: DirectoryWatch): void {
  takeFile(watch.file);
}

const longestPath = 8192;

function takeFile(path: string): string | undefined {
  try {
    // The command could write it: no longer than a path can be.
    const text = statSync(path).size <= longestPath ? readFileSync(path, 'utf8') : undefined;
    unlinkSync(path);
    return text;
  } catch {
    return undefined;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
