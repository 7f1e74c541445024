import { ok } from '../../lib/result.ts';
import type { ShellEnvironment, WatchedCommand } from '../../protocol/index.ts';

/**
 * The shell in which a watched command starts. A confined command waits until its sandbox is built, and the files it
 * could change are recorded meanwhile; any other command starts now.
 */
export function startWithShell(shell: ShellEnvironment, command: WatchedCommand): ShellEnvironment {
  const { confine } = shell;
  if (!confine) {
    command.start?.();
    return shell;
  }
  return {
    ...shell,
    async confine(launch, scratch) {
      const confined = await confine(launch, scratch);
      const begin = confined.ok ? confined.value.begin : undefined;
      if (!confined.ok || !begin) {
        command.start?.();
        return confined;
      }
      const beginBoth = () => {
        command.start?.();
        begin();
      };
      return ok({ ...confined.value, begin: beginBoth });
    },
  };
}
