import type { PermissionContext } from '../permissions/context.ts';
import { lookAtFiles } from '../permissions/look-files.ts';
import type { CallWorkspace } from '../permissions/types.ts';
import type { AgentWorktree, Rule } from '../protocol/index.ts';
import { isWithin, relativeParts } from '../workspace/paths.ts';
import type { WorktreeRecord } from '../workspace/worktree-record.ts';
import type { LiveAgent } from './roster.ts';
import { asAgentWorktree } from './worktrees.ts';

/**
 * What an agent with a worktree of its own is judged by. Its worktree takes the place of the main checkout: that one it
 * reads, and never writes. Rules that are anchored in the checkout hold in the worktree, too.
 */
export function isolatePermissions(
  worktree: AgentWorktree,
): (context: PermissionContext) => PermissionContext {
  const own = lookAtFiles([worktree.path]);
  return (context) => {
    // The past is read by the git that the session has found.
    const past = context.workspace.look?.past ?? own.past;
    const look = { ...own, past, open: () => ({ ...(own.open?.() ?? own), past }) };
    return {
      ...context,
      rules: context.rules.flatMap((rule) => anchoredToo(rule, worktree)),
      workspace: isolateWorkspace({ ...context.workspace, look }, worktree),
    };
  };
}

/** Where an agent begins: in its own worktree, or where its parent is. */
export function placeOf(parent: LiveAgent, { worktree }: { worktree?: WorktreeRecord }): string {
  return worktree?.path ?? parent.context.hands.directory.current;
}

/** Why no worktree is made or opened for an agent now: it would be a change. Undefined where one may be. */
export function worktreesKept({ context: { permissions } }: LiveAgent): string | undefined {
  const { mode, ceiling } = permissions;
  return mode === 'plan' || ceiling.writes !== 'any'
    ? 'Nothing may be changed now, and a worktree would be.'
    : undefined;
}

/** The permissions of an agent, held to its worktree where it has one. */
export function isolated(
  { worktree }: { worktree?: WorktreeRecord },
  permissions: () => PermissionContext,
): () => PermissionContext {
  if (!worktree) return permissions;
  const isolate = isolatePermissions(asAgentWorktree(worktree));
  return () => isolate(permissions());
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
