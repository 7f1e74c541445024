import { findDialect } from '../lib/shell-dialect.ts';
import type { Access, TaskStarter, Tool, ToolContext, WatchedCommand } from '../protocol/index.ts';

/**
 * Looks at files before and after a shell command, so that what it did to them can be undone. What was found before it is
 * not its work. A command that goes on in the background is looked after until its end. The first call of any tool makes
 * ready for commands.
 */
export function observeShell(tool: Tool, userHome: string): Tool {
  if (tool.name !== 'Bash' && tool.name !== 'Monitor') return preparing(tool);
  let judge: Judge | undefined;
  return {
    ...tool,
    async *run(input, context) {
      const { history, toolUseId, agentId } = context;
      history.observe?.('outside', toolUseId);
      judge ??= await import('../permissions/shell/judge.ts');
      const isWriting = mayWrite(judge, tool.access(input, context.directory.current), context, userHome);
      if (!isWriting) history.prepareCommands?.();
      const command = isWriting ? await history.beginCommand?.({ toolUseId, agentId }) : undefined;
      const tasks = command ? handingOver(context.tasks, command) : undefined;
      try {
        return yield* tool.run(input, tasks ? { ...context, tasks } : context);
      } finally {
        history.observe?.('shell', toolUseId);
        if (!tasks?.isHandedOver) command?.end();
      }
    },
  };
}

function preparing(tool: Tool): Tool {
  return {
    ...tool,
    run(input, context) {
      context.history.prepareCommands?.();
      return tool.run(input, context);
    },
  };
}

/** Loaded with the first command. */
type Judge = typeof import('../permissions/shell/judge.ts');

function mayWrite(
  judge: Judge,
  accesses: readonly Access[],
  { shell }: ToolContext,
  userHome: string,
): boolean {
  const place = { userHome, dialect: findDialect(shell.shell) };
  return accesses.some((access) => access.kind === 'shell' && !judge.isReadOnly(access, place).yes);
}

/** A command that becomes a task ends with it. */
function handingOver(tasks: TaskStarter, command: WatchedCommand): TaskStarter & { isHandedOver: boolean } {
  const { running, offer } = tasks;
  return {
    isHandedOver: false,
    find: (id) => tasks.find(id),
    ...(running ? { running: () => running.call(tasks) } : {}),
    ...(offer ? { offer: (call) => offer.call(tasks, call) } : {}),
    spawn(spec) {
      this.isHandedOver = true;
      command.moveToBackground();
      const run: typeof spec.run = async (task) => {
        try {
          return await spec.run(task);
        } finally {
          command.end();
        }
      };
      return tasks.spawn({ ...spec, run });
    },
  };
}
