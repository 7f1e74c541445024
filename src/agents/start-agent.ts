import type { Ids } from '../lib/ids.ts';
import { ok, type Result } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import {
  type MessageRecord,
  noUsage,
  type Suspension,
  type TaskEnd,
  type TaskHandle,
  type UserBlock,
} from '../protocol/index.ts';
import type { RunningTask } from '../protocol/task.ts';
import type { Letter } from '../tasks/inbox.ts';
import { noteLetter } from './agent-log.ts';
import { buildTaskEnd } from './agent-result.ts';
import { warnOfInjection } from './handoff-check.ts';
import type { AgentKernel } from './kernel.ts';
import { endAgent, keepUnread, releaseAgent } from './prepare-agent.ts';
import { noProgress } from './progress.ts';
import { here } from './run-agent.ts';
import { type AgentSpec, findOwner, formatType, recordAgent } from './spec.ts';
import type { StandbyDesk } from './standby.ts';

/** How an agent continues that was suspended in an earlier process. */
export interface Continuation {
  /** What it waited for. */
  suspended?: Suspension | undefined;
  /** It begins after that. */
  after?: Promise<void> | undefined;
}

/**
 * Starts an agent as a task, which runs it. A caller that wants to wait uses the handle; moving the agent to the
 * background only ends that wait. `letters` are for one that continues.
 */
export function startAgent(
  agents: AgentKernel,
  spec: AgentSpec,
  letters: readonly Letter[] = [],
  { suspended, after }: Continuation = {},
): TaskHandle {
  const { roster, tasks } = agents;
  const { id, parent, request, engine, place, log } = spec;
  const context = spec.makeContext(new AbortController().signal);
  const opening = writeOpeningLetters(spec, agents);
  for (const letter of [...opening, ...letters]) context.inbox.post(letter);
  const { standby } = request;
  // It can receive letters while it waits for its turn.
  const omitsMemory = spec.definition?.omitProjectMemory;
  roster.enter(id, { context, account: engine.account, log, omitsMemory, isTeammate: standby !== undefined });
  const type = formatType(spec);
  const { description, name } = request;
  agents.leases.enter({ agentId: id, type, description }, parent.context.agentId);
  const isNew = spec.earlier === undefined;
  if (isNew) roster.countStart();
  const holder = name && isNew ? roster.resolve(name) : undefined;
  if (holder !== undefined && holder !== id && !standby)
    spec.notes.push(
      `The name ${name} belonged to ${holder}. Messages to ${name} now reach this agent; use the id to reach the other one.`,
    );
  // A resumed agent does not take its name back from a newer one.
  if (name && (isNew || !roster.resolve(name))) roster.name(name, id);
  let begun = false;
  // Before anybody is told of it, so that it can be resumed with its task from then on, even if its turn never comes.
  const opened = writeOpening(spec, agents, context, opening);
  const { worktree } = place;
  // It takes no slot here: a worker has its own.
  const isElsewhere = place.runsAt === 'remote';
  const handle = tasks.spawn({
    kind: standby ? 'in_process_teammate' : isElsewhere ? 'remote_agent' : 'local_agent',
    id,
    description,
    owner: parent.context.agentId,
    toolUseId: request.toolUseId,
    background: spec.background,
    agent: {
      type,
      ...(name ? { name } : {}),
      prompt: request.prompt,
      model: engine.model.id,
      depth: spec.earlier?.state.depth ?? context.identity.depth,
      ...(worktree ? { worktree: { path: worktree.path, branch: worktree.branch } } : {}),
      ...(standby ? { member: { address: standby.address, colour: standby.colour } } : {}),
      progress: noProgress(engine.account),
    },
    suspended,
    // Nothing above it could hear of its end.
    outlives: agents.placements.get(place.runsAt)?.keepsRunning === true && parent.context.agentId === null,
    ...(isElsewhere
      ? {}
      : {
          ready: (signal) =>
            after ? after.then(() => agents.slots.take(id, signal)) : agents.slots.take(id, signal),
        }),
    run: async (task) => {
      begun = true;
      if (opened.ok) return run(agents, spec, context, task);
      const reason = opened.problem.message;
      standby?.leave({ kind: 'failed', text: '', reason, turns: 0, usage: noUsage });
      forget(agents, spec, context);
      await releaseAgent(agents, spec);
      return { status: 'failed', text: '', reason };
    },
  });
  standby?.attach(openDesk(agents, spec, context, handle, letters));
  void handle.result().then(() => {
    if (begun) return;
    standby?.leave(undefined);
    // Stopped before its turn came: it can still be resumed.
    if (opened.ok) keepUnread(spec, context);
    forget(agents, spec, context);
    void releaseAgent(agents, spec);
  });
  return handle;
}

async function run(
  agents: AgentKernel,
  spec: AgentSpec,
  context: AgentContext,
  task: RunningTask,
): Promise<TaskEnd> {
  const placement = agents.placements.get(spec.place.runsAt) ?? here;
  const ran = await placement.run(agents, spec, task).finally(() => endAgent(agents, spec, context));
  spec.request.standby?.leave(ran.outcome);
  const end = buildTaskEnd(ran);
  agents.roster.find(findOwner(spec))?.addTokens?.(end.usage?.totalTokens ?? 0);
  const { kept, worktree } = spec.place;
  return warnOfInjection(agents, context.conversation.records, {
    ...end,
    ...(kept ? { worktree: kept } : {}),
    ...(worktree?.copyOf === undefined ? {} : { copyOf: worktree.copyOf }),
  });
}

function openDesk(
  { leases, questions, slots, tasks }: AgentKernel,
  { id, log }: AgentSpec,
  context: AgentContext,
  handle: TaskHandle,
  letters: readonly Letter[],
): StandbyDesk {
  const given = new Set(letters.map(({ uuid }) => uuid));
  return {
    inbox: context.inbox,
    agentId: id,
    knows: (uuid) => given.has(uuid) || context.conversation.records.some((record) => record.uuid === uuid),
    keep: (letter) => noteLetter(log, context, letter),
    told: (by) => leases.told(id, by),
    isAsking: () => questions.isAsking(id),
    isQueued: () => handle.status() === 'pending' || slots.isLent(id),
    background: () => tasks.running().flatMap((one) => (one.owner === id ? [one.description] : [])),
    stop: (reason) => void handle.kill(reason, 'agent'),
  };
}

/** An agent's first letters: what the harness tells it, and for a new one its prompt. */
function writeOpeningLetters({ conversation }: AgentSpec, { ids }: AgentKernel): Letter[] {
  const { content, reminder } = conversation;
  const told: Letter[] =
    reminder === undefined ? [] : [openingLetter('harness', [{ type: 'text', text: reminder }], ids)];
  return content.length === 0 ? told : [...told, openingLetter('delegation', [...content], ids)];
}

function openingLetter(kind: 'harness' | 'delegation', content: UserBlock[], ids: Ids): Letter {
  return { delivery: 'steer', content, uuid: ids.uuid(), origin: { kind } };
}

/** A new agent's transcript begins with its record and its task; that of a resumed one is repaired first. */
export function writeOpening(
  spec: AgentSpec,
  { clock }: AgentKernel,
  context: AgentContext,
  letters: readonly Letter[],
): Result<void> {
  // Elsewhere it may still run: what is missing here is not missing there.
  const repairs: readonly MessageRecord[] = spec.place.runsAt === 'here' ? (spec.earlier?.repairs ?? []) : [];
  for (const record of spec.earlier ? repairs : [recordAgent(spec, clock.now())]) {
    const written = spec.log.append(record);
    if (!written.ok) return written;
  }
  for (const letter of letters) {
    const noted = noteLetter(spec.log, context, letter);
    if (!noted.ok) return noted;
  }
  return ok(undefined);
}

/** Unless it was resumed already. */
function forget({ roster, leases }: AgentKernel, { id, log }: AgentSpec, { inbox }: AgentContext): void {
  if (roster.find(id)?.context.inbox === inbox) {
    roster.leave(id);
    leases.leave(id);
  }
  log.close();
}
