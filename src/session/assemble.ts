import { timestamp } from '../lib/clock.ts';
import { ok } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import type { AgentContext, Limits } from '../loop/agent-context.ts';
import { Conversation } from '../loop/conversation.ts';
import { Approvals } from '../permissions/approvals.ts';
import {
  type AgentEventBody,
  type Answer,
  type HeaderRecord,
  type Model,
  type Question,
  type Thinking,
  type Tool,
  transcriptFormat,
} from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { Inbox } from '../tasks/inbox.ts';
import { renderNotification } from '../tasks/notification.ts';
import { Tasks } from '../tasks/tasks.ts';
import type { Models } from './choose-model.ts';
import { createHands } from './hands.ts';
import type { Identity } from './identity.ts';
import { SessionLog } from './log.ts';
import type { SessionOptions } from './options.ts';
import type { SessionListeners, SessionParts } from './parts.ts';
import type { Restored } from './restore.ts';
import type { LeadPermissions } from './settle-permissions.ts';
import type { Surroundings } from './surroundings.ts';
import { tidyUp } from './tidy-up.ts';

export interface Settled {
  identity: Identity;
  options: SessionOptions;
  around: Surroundings;
  settings: LoadedSettings;
  restored: Restored | undefined;
  models: Models;
  permissions: LeadPermissions;
  tools: Tool[];
  system: string[];
  notices: string[];
  releaseClaim(): void;
}

/** Wires settled values into the parts of a session. Nothing here can fail. */
export function assemble(settled: Settled): SessionParts {
  const { identity, options, around, models, permissions } = settled;
  const { clock, ids } = around;
  let listeners: SessionListeners | undefined;
  const publish = (body: AgentEventBody) =>
    listeners?.publish({ agentId: null, parentToolUseId: null, ...body });

  const inbox = new Inbox();
  const log = createLog(settled);
  const approvals = new Approvals(() => options.attended === true || options.onQuestion !== undefined);
  const tasks = createTasks(settled, inbox, publish, () => listeners?.tasksChanged());
  const hands = createHands({
    identity,
    around,
    environment: { ...around.environment, ...settled.settings.env },
    log,
    tasks,
    todosChanged: (todos) => publish({ type: 'todos_changed', todos }),
  });
  const conversation = new Conversation(settled.restored?.messages);
  let model = models.current;
  let noted = '';

  const ask = async (question: Question, signal: AbortSignal): Promise<Answer> => {
    const waiting = approvals.ask(question, signal);
    listeners?.questionsChanged();
    if (options.onQuestion)
      void options.onQuestion(question, signal).then((answer) => approvals.answer(question.id, answer));
    const answer = await waiting;
    if (answer.behaviour === 'allow' && answer.rules) permissions.grant(answer.rules);
    if (answer.behaviour === 'allow' && answer.mode && permissions.setMode(answer.mode).ok)
      publish({ type: 'mode_changed', permissionMode: answer.mode });
    listeners?.questionsChanged();
    return answer;
  };

  const leadFor = (signal: AbortSignal): AgentContext => ({
    agentId: null,
    sessionId: identity.id,
    parentToolUseId: null,
    conversation,
    inbox,
    clock,
    ids,
    signal,
    model,
    system: settled.system,
    tools: settled.tools,
    thinking: thinkingFor(options.thinking, model),
    limits: limitsFor(options, settled.settings),
    get permissions() {
      return permissions.context();
    },
    ask,
    hands,
  });

  /** Written at the first run and whenever something changed, so that resuming finds what was in force. */
  const noteState = () => {
    const state = { model: model.id, permissionMode: permissions.context().mode, cwd: around.cwd };
    const text = JSON.stringify(state);
    if (text === noted) return ok(undefined);
    noted = text;
    return log.noteState(state);
  };

  return {
    id: identity.id,
    cwd: around.cwd,
    clock,
    inbox,
    tasks,
    approvals,
    log,
    takeNotices: () => settled.notices.splice(0),
    noteState,
    get lead() {
      return leadFor(new AbortController().signal);
    },
    leadFor,
    setMode: (mode) => permissions.setMode(mode),
    setModel(name) {
      const resolved = models.resolve(name);
      if (!resolved.ok) return resolved;
      model = resolved.value;
      return ok(model.id);
    },
    connect(given) {
      listeners = given;
      inbox.onPost(() => given.woken());
    },
    async release() {
      log.close();
      settled.releaseClaim();
      await tidyUp(settled);
    },
  };
}

function createLog({ identity, options, around, restored }: Settled): SessionLog {
  const forked = restored !== undefined && !identity.goesOn;
  const header: HeaderRecord = {
    type: 'cadre-transcript',
    format: transcriptFormat,
    sessionId: identity.id,
    cwd: around.cwd,
    version,
    createdAt: timestamp(around.clock),
    ...(forked
      ? { forkedFrom: { sessionId: restored.sessionId, messageUuid: restored.messages.at(-1)?.uuid ?? null } }
      : {}),
  };
  const inherited = forked ? restored.messages.map((record) => ({ ...record, sessionId: identity.id })) : [];
  return new SessionLog({
    path: identity.files.transcript,
    header,
    exists: identity.goesOn,
    prologue: identity.goesOn ? (restored?.repairs ?? []) : inherited,
    persist: options.persist !== false,
    clock: around.clock,
  });
}

function createTasks(
  settled: Settled,
  inbox: Inbox,
  publish: (body: AgentEventBody) => void,
  changed: () => void,
): Tasks {
  const { clock, ids } = settled.around;
  return new Tasks({
    clock,
    ids,
    outputFile: (id) => `${settled.identity.files.toolResults}/${id}.output`,
    changed: (task) => {
      publish({ type: 'task_changed', task });
      changed();
    },
    ended: (task, end) =>
      inbox.post({
        delivery: 'steer',
        content: [{ type: 'text', text: renderNotification(task, end) }],
        origin: { kind: 'task-notification', runId: task.runId },
      }),
  });
}

/** Thinking is on where it is known to work, unless the caller says otherwise. */
function thinkingFor(wanted: Thinking | undefined, model: Model): Thinking {
  if (!model.facts.thinking) return { type: 'off' };
  return wanted ?? (model.facts.known ? { type: 'adaptive' } : { type: 'off' });
}

function limitsFor(options: SessionOptions, settings: LoadedSettings): Limits {
  const maxTurns = options.maxTurns ?? settings.maxTurns;
  return {
    maxOutputTokens: 32_000,
    maxResultCharacters: 60_000,
    maxConcurrentCalls: 10,
    ...(maxTurns === undefined ? {} : { maxTurns }),
  };
}
