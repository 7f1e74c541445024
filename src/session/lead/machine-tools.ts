import { findDialect } from '../../lib/shell-dialect.ts';
import { isReadOnly } from '../../permissions/shell/judge.ts';
import type { TaskStarter, Tool, ToolContext, WatchedCommand } from '../../protocol/index.ts';
import { coreTools } from '../../tools/index.ts';
import { installedRipgrep } from '../../tools/ripgrep.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { openPathNotes, type SessionSkills } from '../knowledge/skills.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import type { Models } from '../models.ts';
import type { SessionFeature } from '../opening.ts';
import { isAttended } from '../options.ts';

/** The tools that touch the machine. They bring along what is known of the files they touch, and what they change is kept. */
export function machineToolFeature(
  models: Models,
  mcp: SessionMcp,
  { memory }: Knowledge,
  { skills }: SessionSkills,
): SessionFeature {
  return {
    name: 'machine tools',
    async open({ options, place, environment }) {
      const noteTool = await openPathNotes(memory, skills, place.root);
      const tools = coreTools(options.ripgrep ?? installedRipgrep(), place.home, {
        environment,
        attended: isAttended(options),
        servers: mcp.watching,
        search: models.search,
      });
      return { tools: tools.map((tool) => observeShell(noteTool(tool), place.userHome)) };
    },
  };
}

/**
 * Looks at files before and after a shell command, so that what it did to them can be undone. What was found before it is
 * not its work. A command that goes on in the background is looked after until its end. The first call of any tool makes
 * ready for commands.
 */
export function observeShell(tool: Tool, userHome: string): Tool {
  if (tool.name !== 'Bash' && tool.name !== 'Monitor') return preparing(tool);
  return {
    ...tool,
    async *run(input, context) {
      const { history, toolUseId, agentId } = context;
      history.observe?.('outside', toolUseId);
      const isWriting = mayWrite(tool, input, context, userHome);
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

function mayWrite(tool: Tool, input: unknown, { shell, directory }: ToolContext, userHome: string): boolean {
  const place = { userHome, dialect: findDialect(shell.shell) };
  return tool
    .access(input, directory.current)
    .some((access) => access.kind === 'shell' && !isReadOnly(access, place).yes);
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
