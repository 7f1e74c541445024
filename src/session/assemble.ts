import { Roster } from '../agents/roster.ts';
import { timestamp } from '../lib/clock.ts';
import { ok } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { ApprovalHub } from '../permissions/approval-hub.ts';
import { Approvals } from '../permissions/approvals.ts';
import {
  type AgentEventBody,
  type HeaderRecord,
  type MessageRecord,
  type PermissionMode,
  type TaskHandle,
  transcriptFormat,
} from '../protocol/index.ts';
import { dream } from '../settings/table/settings.ts';
import { createOutputs } from '../store/outputs.ts';
import { Inbox } from '../tasks/inbox.ts';
import { findRoot } from '../workspace/workspace.ts';
import { createAgentServices } from './agent-services.ts';
import { isAttended } from './attended.ts';
import { backgroundWaitMs } from './background-wait.ts';
import { createQuestions } from './create-questions.ts';
import type { DreamWish } from './dream-request.ts';
import { DreamWatch } from './dream-watch.ts';
import { createHands } from './hands.ts';
import { openHooks } from './hook-host.ts';
import { inheritedRecords } from './inherited.ts';
import { Lead } from './lead.ts';
import { allowedVariables } from './learn-secrets.ts';
import { createLeases } from './leases.ts';
import { SessionLog } from './log.ts';
import { OwnCommands } from './own-command.ts';
import type { SessionListeners, SessionParts } from './parts.ts';
import { createPlanDesk } from './plan-desk.ts';
import { rewindPlaceOf } from './rewind-place.ts';
import { createSandbox } from './sandbox.ts';
import { removeUnused } from './scratchpad.ts';
import { SessionMcp } from './session-mcp.ts';
import type { Settled } from './settled.ts';
import { spawnDream, spawnTask } from './spawn.ts';
import { type StopWatch, watchStopRequests } from './stop-requests.ts';
import { createTasks, lateLetter } from './task-registry.ts';
import { tidyUp } from './tidy-up.ts';
import { createDesk, landingGround } from './worktrees.ts';

/** Wires settled values into the parts of a session. Nothing here can fail. */
export function assemble(settled: Settled): SessionParts {
  const { identity, options, around, settings } = settled;
  let listeners: SessionListeners | undefined;
  const publish = (body: AgentEventBody) =>
    listeners?.publish({ agentId: null, parentToolUseId: null, ...body });
  const stateChanged = () => listeners?.stateChanged();

  const inbox = new Inbox();
  const opening = settled.restored?.messages ?? inheritedRecords(settled);
  const log = createLog(settled, opening);
  const hub = options.approvals ?? new ApprovalHub();
  const approvals = new Approvals(hub, around.clock, isAttended(options));
  const outputs = createOutputs(identity.files.toolResults);
  const earlier = identity.goesOn ? (settled.restored?.agents ?? []) : [];
  const roster = new Roster(new Set(earlier.map(({ task }) => task.id)).size);
  const tasks = createTasks(settled, {
    ...{ log, outputs, inbox, roster },
    publish(body) {
      publish(body);
      if (body.type !== 'task_changed') return;
      stops?.note(body.task);
      // After whoever is told of the end has been: a session that goes on with it is not idle in between.
      queueMicrotask(stateChanged);
    },
  });
  const stops = watchStops(settled, tasks, (taskId) => listeners?.stopRequested(taskId));
  const notify = (text: string) => publish({ type: 'notice_given', level: 'warning', text });
  const sandbox = createSandbox(settled, notify);
  const { scratchpad } = settled.coordination ?? {};
  const isTaped = settled.reel !== undefined;
  const leases = createLeases({
    ...{ clock: around.outside.clock, roster, inbox, log, isTaped },
    // Everybody's, by its nature.
    free: scratchpad === undefined ? [] : [scratchpad],
    publish: (event) => listeners?.publish(event),
  });
  const environment = { ...around.environment, ...settings.env };
  const hands = createHands({
    ...{ sandbox, identity, around, environment, log, tasks, outputs, onTape: isTaped, notify },
    leases: leases.forAgent(null),
    directories: settled.permissions.context().workspace.directories,
    allowedVariables: allowedVariables(settings),
    maxOutputCharacters: settings.bashOutputMaxChars,
    earlier: identity.goesOn ? settled.restored : undefined,
    roots: () => [
      ...[around.root, around.cwd, ...settled.permissions.context().workspace.directories],
      ...worktreeAround(hands.directory.current, around.root),
    ],
    todosChanged: (todos) => publish({ type: 'todos_changed', todos }),
  });
  postUntold(settled, inbox);
  const hooks = openHooks(settled, {
    ...{ hands, log },
    publish: (event) => listeners?.publish(event),
  });
  const setMode = (mode: PermissionMode) => lead.setMode(mode);
  const { questions, judge } = createQuestions(settled, { approvals, publish, stateChanged, setMode });
  const ownTools = settled.tools;
  const mcp = new SessionMcp(settled, {
    ask: (question, signal) => questions.ask(question, signal),
    publish,
    leadTools(tools) {
      settled.tools = [...ownTools, ...tools];
    },
  });
  const lead: Lead = new Lead(settled, {
    ...{ opening, inbox, questions, judge, log, hands, publish, roster },
    hooks: hooks?.session.lead,
    // A coordinator is refused what workers have by its role, which says why.
    lateTools: () => (settled.coordination ? mcp.tools() : mcp.late()),
  });
  const agents = createAgentServices(settled, {
    ...{ tasks, roster, lead, mcp, questions, judge, sandbox, leases },
    hooksFor: hooks?.forAgent,
    publish: (event) => listeners?.publish(event),
  });
  const worktree = createDesk(settled, hands.directory, sandbox);
  settled.agents.bind(agents, {
    plans: createPlanDesk(lead, agents, settled.coordination !== undefined),
    worktrees: worktree,
    landing: async (cwd) => landingGround(settled, sandbox, await hands.shell.environment(), cwd),
  });
  settled.skills.bind(agents);
  // Known from the start, so that a program can start agents before it prompts.
  lead.enter(new AbortController().signal);
  mcp.start();
  const hide = (text: string) => around.secrets.hide(text);
  const dreaming = {
    around,
    async offer(id: string) {
      // What a tape tells again must change no file.
      if (!approvals.attended || settled.reel) return;
      const { offerProposal } = await import('./dream-question.ts');
      await offerProposal({ around, sessionId: identity.id, questions, publish }, id);
    },
  };
  return {
    ...{ id: identity.id, cwd: around.cwd, clock: around.clock, uuid: () => around.ids.uuid(), hide },
    ...{ inbox, tasks, hub, approvals, questions, log, lead, agents, leases, mcp },
    spawn: (request, isClosed) => spawnTask(agents, request, dreaming, isClosed),
    ownCommands: new OwnCommands(hands, {
      clock: around.outside.clock,
      isReplay: settled.reel?.isReplay === true,
    }),
    dreams: dreamWatch(settled, (wish) => {
      const leader = roster.find(null);
      return leader && spawnDream(agents, leader, { kind: 'dream', ...wish }, dreaming);
    }),
    commands: () => settled.slashCommands.list(),
    skills: settled.skills.skills.flatMap(({ kind, name }) => (kind === 'skill' ? [name] : [])),
    coordination: settled.coordination,
    backgroundWaitMs: backgroundWaitMs(environment),
    terminal: {
      ...settings.terminal,
      ...(settings.statusLine ? { statusLine: settings.statusLine.command } : {}),
    },
    takeInitialPrompt: once(settled.restored ? undefined : settled.main?.initialPrompt),
    reel: settled.reel,
    warm: () => {
      if (settled.reel?.isReplay) return;
      hands.shell.warm();
      void sandbox?.probe();
    },
    keepUnread: () => lead.keepUnread(),
    settleCommands: async (limitMs) => hands.history.settleCommands?.(limitMs),
    async observeFiles() {
      await hands.history.settleCommands?.();
      hands.history.observe?.('outside', '');
    },
    async prompts() {
      const { openPromptHistory } = await import('../store/prompt-history.ts');
      return openPromptHistory({
        home: around.layout.home,
        clock: around.clock,
        hide,
        isOff: options.persist === false || isTaped,
      });
    },
    rewindPlace: () => rewindPlaceOf(settled, hands.history, log),
    takeNotices: () => settled.notices.splice(0),
    connect(given) {
      listeners = given;
      inbox.onPost(() => given.woken());
    },
    async release() {
      await hooks?.session.end('other');
      await worktree.close();
      await mcp.close();
      stops?.close();
      hands.shell.fifos.close();
      sandbox?.close();
      if ('close' in hands.history) await hands.history.close();
      log.close();
      settled.models.close();
      settled.releaseClaim();
      removeUnused(scratchpad);
      const finished = settled.reel?.finish() ?? ok(undefined);
      tidyUp(settled);
      return finished;
    },
  };
}

/** Other programs may ask for a task to be stopped; not where nothing is kept, and not of a tape. */
function watchStops(
  { identity, options, around, reel }: Settled,
  tasks: SessionParts['tasks'],
  stop: (taskId: string) => void,
): StopWatch | undefined {
  if (options.persist === false || reel?.isReplay) return undefined;
  const { clock } = around.outside;
  return watchStopRequests({ sessionDirectory: identity.files.directory, clock, tasks, stop });
}

/** Ends of background work that nobody was told of before the session was left. */
function postUntold({ identity, restored, agents }: Settled, inbox: Inbox): void {
  if (!identity.goesOn) return;
  for (const record of restored?.untold ?? [])
    if (record.task.kind !== 'dream') inbox.post(lateLetter(record, agents.settings));
}

/** The session's own worktree, where the lead is in one: git ignores it in the checkout around it. */
function worktreeAround(current: string, root: string): string[] {
  const top = findRoot(current);
  return top?.startsWith(`${root}/`) ? [top] : [];
}

/** Gives the value the first time. */
function once<T>(value: T): () => T | undefined {
  let left: T | undefined = value;
  return () => {
    const given = left;
    left = undefined;
    return given;
  };
}

/** Off unless the user's settings switch it on. */
function dreamWatch(
  { settings, around }: Settled,
  spawn: (wish: DreamWish) => TaskHandle | undefined,
): DreamWatch | undefined {
  const { enabled, idleMinutes = dream.members.idleMinutes.usual, model, maxTokens } = settings.dream ?? {};
  if (enabled !== true) return undefined;
  return new DreamWatch(around.clock, idleMinutes * 60_000, () =>
    spawn({
      ...(model === undefined ? {} : { model }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    }),
  );
}

function createLog(
  { identity, options, around, restored }: Settled,
  opening: readonly MessageRecord[],
): SessionLog {
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
  const inherited = opening.map((record) => ({ ...record, sessionId: identity.id }));
  return new SessionLog({
    path: identity.files.transcript,
    header,
    exists: identity.goesOn,
    prologue: identity.goesOn ? [...(restored?.repairs ?? [])] : inherited,
    persist: options.persist !== false,
    clock: around.clock,
  });
}
