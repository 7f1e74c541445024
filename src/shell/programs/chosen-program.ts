import type { CallWorkspace } from '../../places/types.ts';
import { readLiteral, type SimpleCommand } from '../grammar/types.ts';

/** Why a known name may run an unknown program: a link, a wrapper, or a version manager that lets files choose. */
export function findChosen(command: SimpleCommand, workspace: CallWorkspace): string | undefined {
  const name = readLiteral(command.words[0]);
  if (name === undefined) return undefined;
  return workspace.look?.otherProgram(name, command.directories, [workspace.cwd, ...workspace.directories]);
}
