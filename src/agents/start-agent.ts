import { ok, type Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import type { AgentWorktree, KeptWorktree, TaskHandle } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';
import { noteLetter } from './accept-letter.ts';
import { endOfRun } from './agent-result.ts';
import type { Child } from './child.ts';
import { warnOfInjection } from './handoff-check.ts';
import { keepUnread } from './keep-unread.ts';
import { noProgress } from './progress.ts';
import type { LiveAgent } from './roster.ts';
import { runAgent } from './run-agent.ts';
import type { AgentServices } from './services.ts';

/**
 * Starts an agent as a task, which pumps it by itself. Whoever wants to wait for it waits for the handle; moving it to
 * the background is to stop waiting.
 */
export function startAgent(
  services: AgentServices,
  parent: LiveAgent,
  child: Child,
  options: { prompt: string; background: boolean; letters?: readonly Letter[] },
): TaskHandle {
  const { roster, tasks } = services;
  const context = child.makeContext(new AbortController().signal);
  const opening = openingOf(child, services);
  for (const letter of opening) context.inbox.post(letter);
  for (const letter of options.letters ?? []) context.inbox.post(letter);
  // Also while it waits for its turn it can be written to.
  roster.enter(child.id, { context, account: child.account, log: child.log });
  const { id: agentId, type, description } = child;
  services.leases?.enter({ agentId, type, description }, parent.context.agentId);
  if (child.content.length > 0) roster.countStart();
  // One that is gone on with does not take its name back from a newer one.
  if (child.name && (child.content.length > 0 || !roster.resolve(child.name)))
    roster.name(child.name, child.id);
  let begun = false;
  const open = once(() => writeOpening(child));
  const enterQueue = () => {
    // Who is told that it waits can go on with it, whatever happens before its turn comes.
    if (open().ok) for (const letter of opening) noteLetter(child.log, context, letter);
  };
  const handle = tasks.spawn({
    kind: 'local_agent',
    id: child.id,
    description: child.description,
    owner: parent.context.agentId,
    toolUseId: child.parentToolUseId,
    background: options.background,
    agent: {
      type: child.type,
      ...(child.name ? { name: child.name } : {}),
      prompt: options.prompt,
      model: child.model,
      depth: child.depth,
      ...(child.worktree ? { worktree: placeOf(child.worktree) } : {}),
      progress: noProgress(child.account),
    },
    ready: (signal) => {
      if (services.slots.isFull) enterQueue();
      return services.slots.take(child.id, signal);
    },
    run: async (task) => {
      begun = true;
      const opened = open();
      if (!opened.ok) {
        forget(services, child, context);
        await leaveWorktree(services, child);
        return { status: 'failed', text: '', reason: opened.problem.message };
      }
      const end = endOfRun(await runAgent(services, child, task));
      roster.find(child.owner)?.addTokens?.(end.usage?.totalTokens ?? 0);
      const worktree = await leaveWorktree(services, child);
      return warnOfInjection(services, context.conversation.records, {
        ...end,
        ...(worktree ? { worktree } : {}),
      });
    },
  });
  void handle.result().then(() => {
    if (begun) return;
    void child.release?.();
    // Stopped before its turn came: it can still be gone on with.
    if (open().ok) keepUnread(child, context);
    forget(services, child, context);
    void leaveWorktree(services, child);
  });
  return handle;
}

/** What a new agent begins with: its prompt, and before that what its mode asks of it. */
function openingOf({ content, reminder }: Child, { ids }: AgentServices): Letter[] {
  const prompt: Letter = {
    ...{ delivery: 'steer', content: [...content], uuid: ids.uuid() },
    origin: { kind: 'delegation' },
  };
  if (content.length === 0) return [];
  if (reminder === undefined) return [prompt];
  const told: Letter = {
    ...{ delivery: 'steer', content: [{ type: 'text', text: reminder }], uuid: ids.uuid() },
    origin: { kind: 'harness' },
  };
  return [told, prompt];
}

function placeOf({ path, branch }: AgentWorktree): { path: string; branch: string } {
  return { path, branch };
}

async function leaveWorktree(
  { worktrees }: AgentServices,
  { worktree }: Child,
): Promise<KeptWorktree | undefined> {
  return worktree && (await worktrees?.leave(worktree));
}

/** Why no more agents are started in this session, once that is so. */
export function totalReached({ roster, settings }: AgentServices): string | undefined {
  if (roster.started < settings.maxTotal) return undefined;
  return `This session has started ${roster.started} agents, its limit (agents.maxTotal). Go on without more of them.`;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function writeOpening(child: Child): Result<void> {
  for (const record of child.opening) {
    const written = child.log.append(record);
    if (!written.ok) return written;
  }
  return ok(undefined);
}

/** Unless somebody has gone on with it already. */
function forget({ roster, leases }: AgentServices, child: Child, { inbox }: AgentContext): void {
  if (roster.find(child.id)?.context.inbox === inbox) {
    roster.leave(child.id);
    leases?.leave(child.id);
  }
  child.log.close();
}
