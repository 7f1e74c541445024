import { type Clock, sleep } from '../../lib/clock.ts';
import { ok } from '../../lib/result.ts';
import { findDialect } from '../../lib/shell-dialect.ts';
import {
  type Access,
  errorResult,
  type ShellEnvironment,
  type TaskStarter,
  type Tool,
  type ToolContext,
  type ToolProgress,
  type ToolResult,
  type WatchedCommand,
} from '../../protocol/index.ts';
import { followTasks } from '../../tasks/hand-over.ts';
import { guardMemory } from '../../team/memory-guard.ts';
import { coreTools } from '../../tools/index.ts';
import { installedRipgrep } from '../../tools/search/ripgrep.ts';
import { agentSettings } from '../environment.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { openPathNotes, type SessionSkills } from '../knowledge/skills.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import type { Models } from '../models.ts';
import type { SessionFeature } from '../opening.ts';
import { isAttended } from '../options.ts';
import type { OpenTeamMemory } from '../team-memory.ts';

/** The tools that touch the machine. They add notes about the files that they touch, and their changes are recorded. */
export function machineToolFeature(
  models: Models,
  mcp: SessionMcp,
  { memory }: Knowledge,
  { skills }: SessionSkills,
  teamMemory: OpenTeamMemory,
): SessionFeature {
  return {
    name: 'machine tools',
    async open(kernel) {
      const { options, place, environment, settings } = kernel;
      const noteTool = await openPathNotes(kernel, memory, skills);
      const tools = coreTools(options.ripgrep ?? installedRipgrep(), place.home, {
        environment,
        attended: isAttended(options),
        background: agentSettings(options, settings, environment).background,
        servers: mcp.watching,
        search: models.search,
      });
      const guarded = tools.map((tool) => guardMemory(tool, teamMemory.current));
      return { tools: guarded.map((tool) => observeShell(noteTool(tool), place.userHome)) };
    },
  };
}

/** A wait longer than this is explained to the user. */
const quietMs = 1_000;
const recording = 'Recording files before the first command so that /rewind can restore them …';
const notRun = 'Not run: the turn was interrupted.';

/**
 * Looks at files before and after a shell command, so that its changes can be undone. Changes found before it are not
 * its own. A command that continues in the background is followed to its end. The first call of any tool prepares for
 * commands.
 */
export function observeShell(tool: Tool, userHome: string): Tool {
  if (tool.name !== 'Bash' && tool.name !== 'Monitor') return preparing(tool);
  let judge: Judge | undefined;
  return {
    ...tool,
    async *run(input, context) {
      const { history, toolUseId } = context;
      history.observe?.('outside', toolUseId);
      judge ??= await import('../../shell/judge/judge.ts');
      const isWriting = mayWrite(judge, tool.access(input, context.directory.current), context, userHome);
      if (!isWriting) history.prepareCommands?.();
      const command = isWriting ? yield* beginCommand(context) : undefined;
      if (command && context.signal.aborted) {
        command.end();
        return errorResult(notRun);
      }
      const tasks = command ? handOver(context.tasks, command) : undefined;
      const watched =
        command && tasks ? { ...context, tasks, shell: startWithShell(context.shell, command) } : context;
      let result: ToolResult;
      try {
        result = yield* tool.run(input, watched);
      } finally {
        history.observe?.('shell', toolUseId);
        if (!tasks?.isHandedOver) command?.end();
      }
      return command && !tasks?.isHandedOver ? addNotices(result, await command.notices()) : result;
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
type Judge = typeof import('../../shell/judge/judge.ts');

function mayWrite(
  judge: Judge,
  accesses: readonly Access[],
  { shell }: ToolContext,
  userHome: string,
): boolean {
  const place = { userHome, dialect: findDialect(shell.shell) };
  return accesses.some((access) => access.kind === 'shell' && !judge.isReadOnly(access, place).yes);
}

async function* beginCommand({
  history,
  toolUseId,
  agentId,
  clock,
  signal,
}: ToolContext): AsyncGenerator<ToolProgress, WatchedCommand | undefined> {
  const begun = history.beginCommand?.({ toolUseId, agentId, signal });
  if (begun && (await takesLonger(begun, clock))) yield { text: recording };
  return await begun;
}

async function takesLonger(work: Promise<unknown>, clock: Clock): Promise<boolean> {
  const done = new AbortController();
  const ended = work.then(
    () => false,
    () => false,
  );
  const isLonger = await Promise.race([ended, sleep(clock, quietMs, done.signal).then(() => true)]);
  done.abort();
  return isLonger;
}

function addNotices(result: ToolResult, notices: readonly string[]): ToolResult {
  const added = notices.map((notice) => ({ type: 'text' as const, text: `[${notice}]` }));
  return added.length === 0 ? result : { ...result, content: [...result.content, ...added] };
}

/** A command that becomes a task ends with it. */
function handOver(tasks: TaskStarter, command: WatchedCommand): ReturnType<typeof followTasks> {
  return followTasks(tasks, {
    moved: () => command.moveToBackground(),
    over: () => command.end(),
    async report(end) {
      const notices = (await command.notices()).map((notice) => `[${notice}]`);
      return notices.length === 0 ? end : { ...end, text: [end.text, ...notices].join('\n').trimStart() };
    },
  });
}

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
