import type { HookEvent, HookPlace, Hooks, Note } from '../protocol/index.ts';
import {
  afterTool,
  beforeTool,
  collectNotes,
  combineAnswers,
  findHookRefusal,
  findStopReason,
  labelHookNote,
} from './combine.ts';
import type { HookEntry } from './entry.ts';
import type { Firing } from './firing.ts';
import type { HookedAgent, HookHost } from './host.ts';
import type { HookRunner } from './runner.ts';
import { watchTodos } from './todo-items.ts';
import { callFields, endFields, questionFields, taskFields } from './tool-fields.ts';

export interface Binding {
  host: HookHost;
  runner: HookRunner;
  agent: HookedAgent;
  entries: readonly HookEntry[];
  /** Ends what hooks of this agent have left running. */
  background: AbortController;
  /** Notes of the session's start; resolves once. */
  opening?(): Promise<Note[]>;
}

/** Hooks that keep an agent from stopping more often than this are ignored. */
const maxRounds = 10;
/** An agent that ends does not wait forever for hooks that are informed of it. */
const forcedMs = 5_000;

type Fire = (event: HookEvent, at: HookPlace, more?: Partial<Firing>) => ReturnType<HookRunner['fire']>;

/** One agent's hooks behind the port. Only points that a hook listens to are present. */
export function bindHooks(binding: Binding): Hooks | undefined {
  const { runner, agent, entries, background, opening } = binding;
  const byEvent = Map.groupBy(entries, ({ event }) => event);
  const fire: Fire = (event, at, more = {}) =>
    runner.fire(byEvent.get(event) ?? [], {
      event,
      subject: '',
      fields: {},
      agent,
      at,
      background: background.signal,
      ...more,
    });
  const has = (...events: HookEvent[]) => events.some((event) => byEvent.has(event));
  const stopEvent = agent.id === null ? 'Stop' : 'SubagentStop';
  const hooks: Hooks = {
    ...(has('PreToolUse', 'TaskCreated', 'TaskCompleted') ? bindBefore(fire, has) : {}),
    ...(has('PostToolUse') ? { afterTool: bindAfter(fire, 'PostToolUse') } : {}),
    ...(has('PostToolUseFailure') ? { afterToolFailure: bindAfter(fire, 'PostToolUseFailure') } : {}),
    ...(has('PermissionRequest') ? bindQuestions(fire) : {}),
    ...(has('UserPromptSubmit') || opening ? bindPrompts(fire, opening) : {}),
    ...(has('SessionStart') && agent.id === null ? bindSession(fire) : {}),
    ...(has('SubagentStart') && agent.id !== null ? bindStart(fire, agent) : {}),
    ...(has(stopEvent) ? bindStop(fire, binding, stopEvent) : {}),
    ...(has('PreCompact') ? bindCompaction(fire) : {}),
    ...(has('Notification') ? bindNotification(fire) : {}),
    ...(has('TaskCreated') ? { taskCreated: bindTask(fire, 'TaskCreated') } : {}),
    ...(has('TaskCompleted') ? { taskCompleted: bindTask(fire, 'TaskCompleted') } : {}),
  };
  if (Object.keys(hooks).length === 0) return undefined;
  return agent.id === null ? hooks : { ...hooks, close: () => background.abort() };
}

function bindBefore(fire: Fire, has: (event: HookEvent) => boolean): Pick<Hooks, 'beforeTool'> {
  const todos = watchTodos({
    created: has('TaskCreated') ? bindTask(fire, 'TaskCreated') : undefined,
    completed: has('TaskCompleted') ? bindTask(fire, 'TaskCompleted') : undefined,
  });
  return {
    async beforeTool(call, at) {
      const heard = await fire('PreToolUse', at, { subject: call.toolName, fields: callFields(call), call });
      const coversWhole = ({ entry }: (typeof heard)[number]) =>
        entry.only === undefined || call.covers(entry.only) === 'whole';
      const word = beforeTool(heard, coversWhole);
      const refusal = await todos.findRefusal(call, word, at);
      return refusal === undefined ? word : { ...word, decision: refusal };
    },
  };
}

function bindAfter(fire: Fire, event: 'PostToolUse' | 'PostToolUseFailure'): NonNullable<Hooks['afterTool']> {
  return async (call, end, at) => {
    const fields = { ...callFields(call), ...endFields(event, end) };
    return afterTool(event, await fire(event, at, { subject: call.toolName, fields, call }));
  };
}

function bindQuestions(fire: Fire): Pick<Hooks, 'permissionAsked'> {
  return {
    async permissionAsked(question, call, at) {
      const fields = questionFields(question);
      const heard = await fire('PermissionRequest', at, { subject: question.toolName, fields, call });
      return combineAnswers(heard);
    },
  };
}

function bindPrompts(fire: Fire, opening: Binding['opening']): Pick<Hooks, 'promptSubmitted'> {
  return {
    async promptSubmitted(prompt, at) {
      const before = (await opening?.()) ?? [];
      const heard = await fire('UserPromptSubmit', at, { fields: { prompt } });
      return { ...findHookRefusal(heard), notes: [...before, ...collectNotes('UserPromptSubmit', heard)] };
    },
  };
}

function bindSession(fire: Fire): Pick<Hooks, 'sessionStarted'> {
  return {
    async sessionStarted(source, at) {
      const heard = await fire('SessionStart', at, { subject: source, fields: { source } });
      return collectNotes('SessionStart', heard);
    },
  };
}

function bindStart(fire: Fire, { type = '' }: HookedAgent): Pick<Hooks, 'agentStarted'> {
  return {
    async agentStarted(at) {
      return collectNotes('SubagentStart', await fire('SubagentStart', at, { subject: type }));
    },
  };
}

function bindStop(
  fire: Fire,
  { host, agent }: Binding,
  event: 'Stop' | 'SubagentStop',
): Pick<Hooks, 'agentStopping'> {
  const transcript = agent.id === null ? {} : { agent_transcript_path: host.agentTranscript(agent.id) ?? '' };
  return {
    async agentStopping({ lastMessage, round, isForced }, at) {
      const fields = {
        stop_hook_active: round > 0,
        ...transcript,
        last_assistant_message: lastMessage === '' ? undefined : lastMessage,
      };
      const subject = agent.id === null ? '' : (agent.type ?? '');
      const heard = await fire(event, at, { subject, fields, maxMs: isForced ? forcedMs : undefined });
      const wish = heard.find(({ block }) => block !== undefined)?.block;
      if (wish === undefined || isForced || findStopReason(heard) !== undefined) return {};
      if (round < maxRounds) return { goOn: labelHookNote(event, wish, 'keeps you from stopping') };
      const text = `A ${event} hook kept the agent from stopping ${round + 1} times in a row; the agent was stopped anyway.`;
      const { id: agentId, parentToolUseId } = agent;
      host.publish({ agentId, parentToolUseId, type: 'notice_given', level: 'warning', text });
      return {};
    },
  };
}

function bindCompaction(fire: Fire): Pick<Hooks, 'compacting'> {
  return {
    async compacting({ trigger, instructions = '' }, at) {
      const fields = { trigger, custom_instructions: instructions };
      return findHookRefusal(await fire('PreCompact', at, { subject: trigger, fields }));
    },
  };
}

function bindNotification(fire: Fire): Pick<Hooks, 'notified'> {
  return {
    notified({ kind, message }, at) {
      void fire('Notification', at, { subject: kind, fields: { notification_type: kind, message } });
    },
  };
}

function bindTask(fire: Fire, event: 'TaskCreated' | 'TaskCompleted'): NonNullable<Hooks['taskCreated']> {
  return async (item, at) => {
    const heard = await fire(event, at, { fields: taskFields(item) });
    // Creating an item is not a reason to end the run.
    const counted = event === 'TaskCreated' ? heard.filter(({ block }) => block !== undefined) : heard;
    return findHookRefusal(counted);
  };
}
