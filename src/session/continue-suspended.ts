import { findRunning, resumeAgent } from '../agents/resume-agent.ts';
import { remind } from '../lib/text/harness-tags.ts';
import type { TaskRecord, TaskView } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import type { Kernel } from './kernel.ts';
import type { SessionPorts } from './pump.ts';
import type { Restored } from './restore.ts';

/** The part of a restored session that a limit had suspended when its process ended. */
export interface SuspendedWork {
  /** Parents before their children. */
  agents: TaskView[];
  /** Whether the lead itself was waiting. */
  lead: boolean;
}

/**
 * The work that continues: the lead if it was waiting, and every agent that was suspended or had not ended, since it
 * worked for one that was. Undefined if nothing was suspended.
 */
export function findSuspended(restored: Restored | undefined): SuspendedWork | undefined {
  if (!restored) return undefined;
  const lead = restored.state?.suspended !== undefined;
  const newest = new Map<string, TaskRecord>();
  for (const record of restored.agents) newest.set(record.task.id, record);
  const tasks = [...newest.values()];
  if (!lead && !tasks.some(({ task }) => isSuspended(task))) return undefined;
  const agents = tasks
    .filter(({ task, end }) => isSuspended(task) || (!end && isUnderWay(task)))
    .map(({ task }) => task)
    .sort((one, other) => (one.agent?.depth ?? 1) - (other.agent?.depth ?? 1));
  return { agents, lead };
}

function isSuspended({ suspended, stoppedBy }: TaskView): boolean {
  return suspended !== undefined && stoppedBy === undefined;
}

/** Resumes agents in the background and tells the lead, whose own run continues if it was suspended. */
export async function continueWork(
  { agents: tasks, lead }: SuspendedWork,
  { inbox, events }: Kernel,
  { agents }: SessionPorts,
): Promise<void> {
  const ids = new Set(tasks.map(({ id }) => id));
  const runs = new Set(tasks.map(({ runId }) => runId));
  // They have not ended after all.
  inbox.takeWhere(({ origin }) => origin.kind === 'task-notification' && runs.has(origin.runId));
  const resumed: string[] = [];
  for (const task of tasks) {
    const sender = agents.roster.find(task.owner);
    // Its owner had ended, or could not be resumed: no agent would hear of it.
    if (!sender || findRunning(agents, task.id)) continue;
    const went = await resumeAgent(agents, sender, task, writeLetter(agentText, agents.ids.uuid()), {
      toolUseId: `resume-${agents.ids.token(12)}`,
      signal: new AbortController().signal,
      background: true,
      goesOn: ({ task: below }) => ids.has(below.id),
    });
    if (went.ok) resumed.push(task.id);
    else events.warn(`The suspended agent ${task.id} was not resumed: ${went.problem.message}`);
  }
  const text = describeToLead(resumed, lead);
  if (text === undefined) return;
  const letter = writeLetter(text);
  if (lead) inbox.post(letter);
  else inbox.postQuietly({ ...letter, isQuiet: true });
}

const agentText =
  'You were suspended by a limit of the model provider, and the process that ran you has ended. You continue now: go on where you stopped.';

function describeToLead(resumed: readonly string[], lead: boolean): string | undefined {
  const own = lead
    ? ['Your run was suspended by a limit of the model provider. It continues now: go on where you stopped.']
    : [];
  const below =
    resumed.length === 0
      ? []
      : [
          `Agents that were suspended or cut off run again in the background. You are notified when each one ends; do not start or message them to continue: ${resumed.join(', ')}.`,
        ];
  const parts = [...own, ...below];
  return parts.length === 0 ? undefined : parts.join(' ');
}

function writeLetter(text: string, uuid?: string): Letter {
  return {
    delivery: 'steer',
    content: [{ type: 'text', text: remind(text) }],
    origin: { kind: 'harness' },
    ...(uuid === undefined ? {} : { uuid }),
  };
}
