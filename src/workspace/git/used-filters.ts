import { ok, type Result } from '../../lib/result.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRunningCommands } from '../running-commands.ts';
import { findRoot } from '../workspace.ts';
import type { FilterCommands } from './filters.ts';
import { storesFiles } from './hold-git.ts';

type Ask = (words: readonly string[], input?: string) => Promise<Result<string>>;

/**
 * Whether git, called like this, starts none of the filters, where a command runs that works in the same files: then it need not
 * be allowed what filters need, and can be kept from all other files. `ask` runs git with one character per byte.
 */
export async function needsNoFilter(
  args: readonly string[],
  { cwd, workTree }: { cwd: string; workTree?: { top: string } },
  commands: FilterCommands,
  ask: Ask,
): Promise<Result<boolean>> {
  const top = workTree?.top ?? findRoot(cwd);
  if (top === undefined || !storesFiles(args[0] ?? '')) return ok(false);
  const running = await findRunningCommands();
  if (!running?.hold || !running.mayWorkIn(resolveRealPath(top))) return ok(false);
  const listed = await ask(['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (!listed.ok) return listed;
  const attributes = await ask(['check-attr', '-z', '--stdin', 'filter'], listed.value);
  if (!attributes.ok) return attributes;
  const used = attributes.value.split('\0').filter((_, index) => index % 3 === 2);
  return ok(!used.some((name) => [...commands.keys()].some((key) => key.startsWith(`filter.${name}.`))));
}
