import type { PermissionContext } from '../permissions/context.ts';
import { lookAtFiles } from '../permissions/look-files.ts';
import type { CallWorkspace } from '../permissions/types.ts';
import type { AgentWorktree, Rule } from '../protocol/index.ts';
import { isWithin, relativeParts } from '../workspace/paths.ts';
import type { LiveAgent } from './roster.ts';

/**
 * What an agent with a worktree of its own is judged by. Its worktree takes the place of the main checkout: that one it
 * reads, and never writes. Rules that are anchored in the checkout hold in the worktree, too.
 */
export function isolatePermissions(
  worktree: AgentWorktree,
): (context: PermissionContext) => PermissionContext {
  const own = lookAtFiles([worktree.path]);
  return (context) => {
    // Programs are those that the session finds, git for the past among them.
    const { past, chosenBy } = context.workspace.look ?? own;
    const found = { past, chosenBy };
    const look = { ...own, ...found, open: () => ({ ...(own.open?.() ?? own), ...found }) };
    return {
      ...context,
      rules: context.rules.flatMap((rule) => anchoredToo(rule, worktree)),
      workspace: isolateWorkspace({ ...context.workspace, look }, worktree),
    };
  };
}

/** Why no worktree is made or opened for an agent now: it would be a change. Undefined where one may be. */
export function worktreesKept({ context: { permissions } }: LiveAgent): string | undefined {
  const { mode, ceiling } = permissions;
  return mode === 'plan' || ceiling.writes !== 'any'
    ? 'Nothing may be changed now, and a worktree would be.'
    : undefined;
}

function isolateWorkspace(workspace: CallWorkspace, { path, main }: AgentWorktree): CallWorkspace {
  const directories = workspace.directories.filter((directory) => {
    const real = workspace.realPath(directory);
    return !isWithin(real, main) && !isWithin(main, real);
  });
  return {
    ...workspace,
    cwd: path,
    directories,
    readable: [...(workspace.readable ?? []), main],
    isolated: { writes: [path, ...directories], from: main },
  };
}

function anchoredToo(rule: Rule, { path, main }: AgentWorktree): Rule[] {
  const within = relativeParts(rule.base, main);
  return within === undefined ? [rule] : [rule, { ...rule, base: [path, ...within].join('/') }];
}
