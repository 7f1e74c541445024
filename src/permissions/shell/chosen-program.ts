import { isWithin } from '../../workspace/paths.ts';
import type { CallWorkspace } from '../types.ts';
import { literalOf, type SimpleCommand } from './types.ts';

/** Why a known name may run a program that is not known: a version manager lets the repository choose. */
export function findChosen(command: SimpleCommand, workspace: CallWorkspace): string | undefined {
  const { look, cwd, directories } = workspace;
  const name = literalOf(command.words[0]);
  if (!look || name === undefined) return undefined;
  const roots = [cwd, ...directories];
  for (const place of command.directories.filter((one) => roots.some((root) => isWithin(one, root)))) {
    const file = look.chosenBy(name, place, roots);
    if (file !== undefined) return `a version manager lets ${file} choose which ${name} runs`;
  }
  return undefined;
}
