import { timestamp } from '../lib/clock.ts';
import { ok } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { Approvals } from '../permissions/approvals.ts';
import {
  type AgentEventBody,
  type HeaderRecord,
  type Outputs,
  type TaskEnd,
  type TaskView,
  transcriptFormat,
} from '../protocol/index.ts';
import { createOutputs } from '../store/outputs.ts';
import { Inbox, type Letter } from '../tasks/inbox.ts';
import { renderNotification } from '../tasks/notification.ts';
import { Tasks } from '../tasks/tasks.ts';
import { createHands } from './hands.ts';
import { Lead } from './lead.ts';
import { SessionLog } from './log.ts';
import type { SessionListeners, SessionParts } from './parts.ts';
import { createSandbox } from './sandbox.ts';
import type { Settled } from './settled.ts';
import { tidyUp } from './tidy-up.ts';

/** Wires settled values into the parts of a session. Nothing here can fail. */
export function assemble(settled: Settled): SessionParts {
  const { identity, options, around, settings } = settled;
  let listeners: SessionListeners | undefined;
  const publish = (body: AgentEventBody) =>
    listeners?.publish({ agentId: null, parentToolUseId: null, ...body });
  const stateChanged = () => listeners?.stateChanged();

  const inbox = new Inbox();
  const log = createLog(settled);
  const approvals = new Approvals(options.attended === true || options.onQuestion !== undefined);
  const outputs = createOutputs(identity.files.toolResults);
  const tasks = createTasks(settled, log, outputs, inbox, (body) => {
    publish(body);
    stateChanged();
  });
  const sandbox = createSandbox(settled, (text) => publish({ type: 'notice_given', level: 'warning', text }));
  const hands = createHands({
    sandbox,
    identity,
    around,
    environment: { ...around.environment, ...settings.env },
    log,
    tasks,
    outputs,
    maxOutputCharacters: settings.bashOutputMaxChars,
    todosChanged: (todos) => publish({ type: 'todos_changed', todos }),
  });
  if (identity.goesOn) for (const task of settled.restored?.untold ?? []) inbox.post(lateLetter(task));
  const lead = new Lead(settled, { inbox, approvals, log, hands, publish, questionsChanged: stateChanged });
  return {
    id: identity.id,
    cwd: around.cwd,
    clock: around.clock,
    uuid: () => around.ids.uuid(),
    inbox,
    tasks,
    approvals,
    log,
    lead,
    reel: settled.reel,
    warm: () => {
      if (settled.reel?.isReplay) return;
      hands.shell.warm();
      void sandbox?.probe();
    },
    keepUnread: () => lead.keepUnread(),
    takeNotices: () => settled.notices.splice(0),
    connect(given) {
      listeners = given;
      inbox.onPost(() => given.woken());
    },
    async release() {
      hands.shell.fifos.close();
      sandbox?.close();
      log.close();
      settled.models.close();
      settled.releaseClaim();
      const finished = settled.reel?.finish() ?? ok(undefined);
      tidyUp(settled);
      return finished;
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
      ? {
          forkedFrom: {
            sessionId: restored.sessionId,
            messageUuid: restored.messages.at(-1)?.uuid ?? null,
          },
        }
      : {}),
  };
  const inherited = forked ? restored.messages.map((record) => ({ ...record, sessionId: identity.id })) : [];
  return new SessionLog({
    path: identity.files.transcript,
    header,
    exists: identity.goesOn,
    prologue: identity.goesOn ? [...(restored?.repairs ?? [])] : inherited,
    persist: options.persist !== false,
    clock: around.clock,
  });
}

function createTasks(
  settled: Settled,
  log: SessionLog,
  outputs: Outputs,
  inbox: Inbox,
  publish: (body: AgentEventBody) => void,
): Tasks {
  const { clock, ids } = settled.around;
  return new Tasks({
    clock,
    ids,
    outputFile: (id) => outputs.pathFor(`${id}.output`),
    changed: (task) => {
      // Best effort: a full disk is reported where the conversation itself cannot be written.
      log.append({ type: 'task-state', timestamp: timestamp(clock), task });
      publish({ type: 'task_changed', task });
    },
    ended: (task, end) => inbox.post(letterAbout(task, end)),
  });
}

function letterAbout(task: TaskView, end: TaskEnd): Letter {
  return {
    delivery: 'steer',
    content: [{ type: 'text', text: renderNotification(task, end) }],
    origin: { kind: 'task-notification', runId: task.runId },
  };
}

/** A task that went with its session, or ended when nobody could be told any more. */
function lateLetter(task: TaskView): Letter {
  const status = task.status === 'completed' || task.status === 'failed' ? task.status : 'killed';
  const reason =
    task.error ?? (status === 'killed' ? 'it ended with the session that started it' : undefined);
  return letterAbout(task, { status, text: '', ...(reason ? { reason } : {}) });
}
