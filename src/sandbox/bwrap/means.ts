import { GitScopes } from '../../places/git-scopes.ts';
import { ProtectedTargets } from '../../places/protected-targets.ts';
import { ClosedNames } from '../closed-names.ts';
import { type ConfineOptions, confineCommand } from '../confine-command.ts';
import { ReplayLists } from '../guard/replay-lists.ts';
import { RepositoryCopies } from '../guard/repository-copies.ts';
import { SharedHomes } from '../guard/shared-homes.ts';
import type { SandboxOptions } from '../options.ts';
import { ToolChainSecrets } from '../tool-chain-secrets.ts';
import { buildSystemView, type SystemView } from './system-view.ts';

/** State that the commands of a session share to be confined: findings of one serve the next. */
export interface Means
  extends Pick<
    ConfineOptions,
    'scopes' | 'targets' | 'secrets' | 'closedNames' | 'homes' | 'repositories' | 'replays' | 'system'
  > {
  confineCommand: typeof confineCommand;
}

export function openMeans({ home, userHome, environment, isRoot, commands }: SandboxOptions): Means {
  let machine: SystemView | undefined;
  const scopes = new GitScopes({ userHome, environment, commands });
  return {
    confineCommand,
    scopes,
    targets: new ProtectedTargets(scopes, home),
    secrets: new ToolChainSecrets(),
    closedNames: new ClosedNames(),
    homes: new SharedHomes(home),
    repositories: new RepositoryCopies(),
    replays: new ReplayLists(),
    system() {
      machine ??= buildSystemView(isRoot);
      return machine;
    },
  };
}
