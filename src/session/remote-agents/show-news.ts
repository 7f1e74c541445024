import { flagSuspicions } from '../../agents/handoff-check.ts';
import type { AgentKernel } from '../../agents/kernel.ts';
import { ToolStats } from '../../agents/progress.ts';
import { openReport } from '../../agents/report-file.ts';
import type { AgentSpec } from '../../agents/spec.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { AgentContext } from '../../loop/agent-context.ts';
import { listEventRecords } from '../../loop/records-of.ts';
import {
  type AgentEvent,
  type AgentReport,
  type MessageRecord,
  type Origin,
  type RunningTask,
  textOf,
  totalTokens,
} from '../../protocol/index.ts';
import { findReport } from '../../protocol/report-frame.ts';
import type { RemoteJob } from './job-files.ts';
import { readEvent } from './read-event.ts';

const maxActivities = 5;

export interface NewsDesk {
  /** An event of the worker, as it was stored. */
  take(body: string, job: RemoteJob): void;
  /** Shown while nothing else is. */
  say(activity: string): void;
  /** A letter to the agent; it has read it when there is a message with this uuid. */
  noteLetter(uuid: string, origin: Origin): void;
  hasRead(uuid: string): boolean;
  /** Of this run. */
  readonly tokens: number;
  readonly toolUses: number;
  readonly tools: ToolStats;
  readonly report: AgentReport | undefined;
  close(): void;
}

/**
 * What a remote agent does, in the same transcript, events and counts as if it ran here. `job` keeps the counts, so that a later process
 * of the session continues with them.
 */
export function openNewsDesk(
  agents: AgentKernel,
  spec: AgentSpec,
  context: AgentContext,
  task: RunningTask,
  first: RemoteJob,
): NewsDesk {
  const { conversation, identity } = context;
  const known = new Set(conversation.records.map(({ uuid }) => uuid));
  const origins = new Map<string, Origin>();
  const tools = new ToolStats(first.tools);
  const report = openReport(task.outputFile);
  const spentBefore = spec.engine.account.ownTokens;
  let { tokens, toolUses } = first;
  let activities: string[] = [];
  let found: AgentReport | undefined;
  const show = () =>
    task.progress({ toolUses, spentTokens: spentBefore + tokens, runTokens: tokens, activities });
  const marks = { agentId: context.agentId, parentToolUseId: spec.request.toolUseId };

  const adopt = (record: MessageRecord): MessageRecord => {
    const { epoch: _, ...rest } = record;
    const own = {
      ...rest,
      sessionId: identity.sessionId,
      agentId: spec.id,
      isSidechain: true,
    };
    if (own.type !== 'user') return own;
    // To the worker all letters are prompts.
    const { kind } = own.origin;
    return kind === 'human' ? { ...own, origin: origins.get(own.uuid) ?? { kind: 'harness' } } : own;
  };
  const localise = (event: AgentEvent): AgentEvent => {
    if (event.type === 'message_added') return { ...event, record: adopt(event.record) };
    if (event.type !== 'conversation_compacted') return event;
    const boundary = { ...event.boundary, sessionId: identity.sessionId, agentId: spec.id };
    return { ...event, boundary, messages: event.messages.map(adopt) };
  };
  const keep = (event: AgentEvent) => {
    for (const record of listEventRecords(event)) spec.log.append(record);
    if (event.type === 'conversation_compacted') conversation.restart(event.messages);
    if (event.type !== 'message_added') return;
    conversation.add(event.record);
    known.add(event.record.uuid);
  };
  const count = (event: AgentEvent) => {
    tools.note(event);
    if (event.type === 'request_waited') {
      if (event.suspended) task.suspend(event.suspended);
      else if (event.isOver) task.suspend(undefined);
    }
    if (event.type === 'tool_started') {
      toolUses += 1;
      const activity = visibleLine(`${event.toolName} ${event.summary}`.trim(), 300);
      activities = [...activities, activity].slice(-maxActivities);
    }
    if (event.type !== 'message_added') return;
    found = findReport(event.toolData) ?? found;
    if (event.record.type !== 'assistant') return;
    task.suspend(undefined);
    tokens += totalTokens(event.record.message.usage);
    report.add(flagSuspicions(agents.settings, textOf(event.record.message.content)));
  };

  return {
    take(body, job) {
      const read = readEvent(body, marks);
      if (!read) return;
      // Stored before a crash of this process, and not counted as read.
      if (read.type === 'message_added' && known.has(read.record.uuid)) return;
      const event = localise(read);
      keep(event);
      count(event);
      agents.publish(event);
      Object.assign(job, { tokens, toolUses, tools: tools.value });
      if (event.type === 'tool_started' || event.type === 'message_added') show();
    },
    say(activity) {
      activities = [activity];
      show();
    },
    noteLetter: (uuid, origin) => void origins.set(uuid, origin),
    hasRead: (uuid) => known.has(uuid),
    get tokens() {
      return tokens;
    },
    get toolUses() {
      return toolUses;
    },
    tools,
    get report() {
      return found;
    },
    close: () => report.close(),
  };
}
