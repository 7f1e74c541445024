import type { AgentKernel } from '../agents/kernel.ts';
import { findRunning, resumeAgent } from '../agents/resume-agent.ts';
import { remind } from '../lib/text/harness-tags.ts';
import { type MessageRecord, textOf } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';
import type { Kernel } from './kernel.ts';
import type { SessionPorts } from './session-ports.ts';
import type { SuspendedAgent, SuspendedWork } from './suspended-work.ts';

/** Resumes agents in the background and tells the lead, whose own run continues if it was suspended. */
export async function continueWork(
  work: SuspendedWork = { agents: [] },
  { inbox, events, opening, options, restored }: Kernel,
  { agents, lead }: SessionPorts,
): Promise<void> {
  const place = restored?.taken && (options.holder?.note ?? restored.moved?.note ?? '');
  const runs = new Set(work.agents.map(({ task }) => task.runId));
  // They have not ended after all.
  inbox.takeWhere(({ origin }) => origin.kind === 'task-notification' && runs.has(origin.runId));
  // Until it has an answer: this process may end before that, too.
  if (work.lead) lead.suspend(work.lead);
  const agentLetter = place === undefined ? agentText : `${takenText} ${place}`.trim();
  const resumed = await resumeAll(work.agents, agents, agentLetter, (text) => events.warn(text));
  const text = describeToLead(resumed, work.lead !== undefined, place);
  if (text === undefined) return;
  const letter = writeLetter(text);
  const isTold = isUnanswered(opening, letter);
  if (work.lead) inbox.post(isTold ? { ...letter, content: [] } : letter);
  else if (!isTold) inbox.postQuietly({ ...letter, isQuiet: true });
}

/** Whether the lead was told the same by an earlier start, and has answered nothing since. */
function isUnanswered(messages: readonly MessageRecord[], { content }: Letter): boolean {
  const text = textOf(content);
  const answeredAt = messages.findLastIndex(({ type }) => type === 'assistant');
  return messages.slice(answeredAt + 1).some(({ message }) => textOf(message.content).includes(text));
}

/** None begins before all are there: one that ended at once could not hear of those below it. */
async function resumeAll(
  suspended: readonly SuspendedAgent[],
  agents: AgentKernel,
  text: string,
  warn: (text: string) => void,
): Promise<string[]> {
  const ids = new Set(suspended.map(({ task }) => task.id));
  const allThere = Promise.withResolvers<void>();
  const resumed: string[] = [];
  for (const { task, suspended: reason } of suspended) {
    const sender = agents.roster.find(task.owner);
    // Its owner could not be resumed: no agent would hear of it.
    if (!sender || findRunning(agents, task.id)) continue;
    const went = await resumeAgent(agents, sender, task, writeLetter(text, agents.ids.uuid()), {
      toolUseId: `resume-${agents.ids.token(12)}`,
      signal: new AbortController().signal,
      background: true,
      goesOn: ({ task: below }) => ids.has(below.id),
      continuation: { suspended: reason, after: allThere.promise },
    });
    if (went.ok) resumed.push(task.id);
    else warn(`The suspended agent ${task.id} was not resumed: ${went.problem.message}`);
  }
  allThere.resolve();
  return resumed;
}

const agentText =
  'You were suspended by a limit of the model provider, and the process that ran you has ended. You continue now: go on where you stopped.';

const takenText =
  'You continue on another machine from the last finished step: go on where you stopped. Processes that you had started are not there.';

/** `place`: it was taken over from another machine, and where its files are now. */
function describeToLead(
  resumed: readonly string[],
  lead: boolean,
  place: string | undefined,
): string | undefined {
  const limited =
    'Your run was suspended by a limit of the model provider. It continues now: go on where you stopped.';
  const moved = lead ? `${takenText} ${place}`.trim() : place;
  const own = place === undefined ? (lead ? [limited] : []) : moved ? [moved] : [];
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
