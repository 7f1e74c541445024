import { formatTime } from '../../lib/text/duration.ts';
import type { MemberState } from '../../protocol/index.ts';
import { totalTokens } from '../../protocol/message.ts';
import type { WorkflowCallView } from '../../protocol/workflow.ts';
import {
  type Agent,
  formatState,
  isAtWork,
  measureDuration,
  type ShownMember,
  type ShownWorkflow,
  type TaskRow,
  type View,
} from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { listAgentPlaces } from '../screen/agent-lines.ts';
import { paintName } from '../screen/team-lines.ts';
import type { WorkCells, WorkState } from '../screen/work-table.ts';
import { agentStyle, paint, shortenPlaces, showLine } from '../text/index.ts';
import type { WorkRow } from './rows.ts';

/** A row of work in the columns of the table. */
export function describeWork(view: View, row: WorkRow, drawing: Drawing): WorkCells {
  switch (row.kind) {
    case 'agent':
      return describeAgent(view, row.agent, row.depth, drawing);
    case 'member':
      return describeMember(view, row.member, row.agent, drawing);
    case 'call':
      return describeCall(row.call, 1);
    case 'task':
      return describeTask(view, row.task, drawing);
  }
}

function describeAgent(view: View, agent: Agent, depth: number, drawing: Drawing): WorkCells {
  const { state, word, why } = describeState(view, agent, drawing.now);
  const named = agent.name === null ? '' : ` @${showLine(agent.name, 40)}`;
  const runs = agent.runs > 1 ? [`${agent.runs} runs`] : [];
  const claims = agent.claims ? [`claims: ${agent.claims.text}`] : [];
  const reason = agent.reason === null || isAtWork(agent.state) ? [] : [showLine(agent.reason, 300)];
  const doing = showLine(shortenPlaces(agent.activity, listAgentPlaces(agent, drawing)), 200);
  const last = isAtWork(agent.state) && doing !== '' && why === '' ? [doing] : [];
  return {
    ...{ state, word, depth },
    name: paint(agentStyle(drawing.theme, agent.colour), showLine(agent.type, 40) + named),
    text: showLine(agent.description, 80),
    ms: agent.isCutOff ? undefined : measureDuration(agent, drawing.now),
    tokens: agent.tokens,
    cost: view.cost.byAgent.get(agent.id),
    detail: [...(why === '' ? [] : [why]), ...reason, ...claims, ...last, ...runs].join(' · '),
  };
}

function describeState(
  view: View,
  agent: Agent,
  now: number,
): { state: WorkState; word: string; why: string } {
  if (!isAtWork(agent.state)) {
    const word =
      agent.state === 'completed' && formatState(agent) === 'completed' ? 'done' : formatState(agent);
    return { state: endStates[agent.state] ?? 'stopped', word, why: '' };
  }
  if (agent.questions.length > 0) return { state: 'asking', word: 'asks you', why: '' };
  const { suspended } = agent;
  if (suspended)
    return {
      state: 'suspended',
      word: `until ${formatTime(suspended.until, now)}`,
      why: showLine(suspended.reason, 200),
    };
  if (agent.state === 'pending') return { state: 'queued', word: 'queued', why: '' };
  const awaited = listAwaited(view, agent);
  const [first] = awaited;
  if (!first) return { state: 'running', word: 'running', why: '' };
  const more = awaited.length > 1 ? ` and ${awaited.length - 1} more` : '';
  return { state: 'waiting', word: 'waiting', why: `for ${first}${more}` };
}

const endStates: Readonly<Record<string, WorkState>> = {
  completed: 'done',
  failed: 'failed',
  killed: 'stopped',
};

/** The agents that one of its calls waits for. */
function listAwaited(view: View, { id }: Agent): string[] {
  return [...view.agents.values()]
    .filter((one) => one.parent === id && isAtWork(one.state) && !one.isBackgrounded)
    .map(({ type, description }) => showLine(`${type} ${description}`, 60));
}

const memberStates: Readonly<Record<MemberState, WorkState>> = {
  starting: 'queued',
  working: 'running',
  idle: 'idle',
  waiting: 'waiting',
  stuck: 'stuck',
  suspended: 'suspended',
  dead: 'failed',
  ended: 'done',
};

export function describeMember(
  view: View,
  member: ShownMember,
  agent: Agent | undefined,
  drawing: Drawing,
): WorkCells {
  const asks = (agent?.questions.length ?? 0) > 0;
  const { state, reason, items, unread } = member;
  const doing = agent && (state === 'working' || state === 'starting') ? agent.activity : '';
  const shown = reason === '' && agent ? shortenPlaces(doing, listAgentPlaces(agent, drawing)) : reason;
  const detail = [
    ...(shown === '' ? [] : [showLine(shown, 200)]),
    ...(items.length === 0 ? [] : [nameItems(view, items)]),
    ...(unread === 0 ? [] : [`${unread} unread`]),
  ];
  return {
    state: asks ? 'asking' : memberStates[state],
    word: asks ? 'asks you' : state,
    name: paintName(member.name, member.colour, drawing),
    text: '',
    depth: 0,
    ms: Number.isFinite(member.since) ? drawing.now - member.since : undefined,
    tokens: agent?.tokens,
    cost: agent ? view.cost.byAgent.get(agent.id) : undefined,
    detail: detail.join(' · '),
  };
}

/** The items of the board that it works on, by what they are. */
function nameItems({ team }: View, ids: readonly string[]): string {
  const names = ids.map((id) => showLine(team.board.items.find((item) => item.id === id)?.subject ?? id, 60));
  return `${names.length === 1 ? 'item' : 'items'} ${names.join(', ')}`;
}

const kinds: Readonly<Record<string, string>> = {
  local_bash: 'shell',
  monitor_mcp: 'monitor',
  local_workflow: 'workflow',
};

function describeTask(view: View, task: TaskRow, drawing: Drawing): WorkCells {
  const run = [...view.workflows.values()].findLast(({ taskId }) => taskId === task.id);
  const cost = view.cost.byAgent.get(task.id);
  const isOver = !isAtWork(task.state);
  const cells: WorkCells = {
    state: isOver ? (endStates[task.state] ?? 'stopped') : task.state === 'pending' ? 'queued' : 'running',
    word: taskWords[task.state] ?? task.state,
    name: kinds[task.kind] ?? task.kind,
    text: showLine(shortenPlaces(task.description, drawing.places), 200),
    depth: 0,
    ms: (task.endedAt ?? drawing.now) - task.startedAt,
    tokens: cost ? totalTokens(cost.usage) : undefined,
    cost,
    detail: task.error === null ? '' : showLine(task.error, 200),
  };
  return run ? { ...cells, ...describeRun(run) } : cells;
}

const taskWords: Readonly<Record<string, string>> = {
  pending: 'queued',
  completed: 'done',
  killed: 'stopped',
};

const runStates: Readonly<Record<ShownWorkflow['status'], WorkState>> = {
  running: 'running',
  completed: 'done',
  partial: 'failed',
  failed: 'failed',
  suspended: 'suspended',
  stopped: 'stopped',
};

/** A run of a workflow: how far it is, and why it stands still. */
export function describeRun(
  run: ShownWorkflow,
): Pick<WorkCells, 'state' | 'word' | 'name' | 'text' | 'detail' | 'tokens'> {
  const { name, status, phase, calls, reason } = run;
  const ended = calls.total - calls.running - calls.waiting;
  return {
    state: runStates[status],
    word: status === 'completed' ? 'done' : status,
    name: 'workflow',
    text: showLine(name, 100),
    tokens: totalTokens(run.spent),
    detail: [
      ...(phase === undefined || status !== 'running' ? [] : [showLine(phase, 60)]),
      `${ended} of ${calls.total} calls`,
      ...(reason ? [showLine(reason, 200)] : []),
    ].join(' · '),
  };
}

/** A call of a workflow: its label, how it ended, and how that was come by. */
export function describeCall(call: WorkflowCallView, depth: number, isInPhase = false): WorkCells {
  const { label, phase, state, outcome, verdict, reason, tokens } = call;
  const isSkipped = outcome === 'skipped' || outcome === 'interrupted';
  return {
    state:
      state === 'waiting'
        ? 'queued'
        : outcome === undefined
          ? state === 'running'
            ? 'running'
            : 'stopped'
          : outcome === 'ok'
            ? 'done'
            : isSkipped
              ? 'stopped'
              : 'failed',
    word: [outcome ?? state, verdict ?? ''].filter(Boolean).join(' '),
    name: showLine(label, 100),
    text: '',
    depth,
    tokens,
    detail: [
      ...(phase === undefined || isInPhase ? [] : [showLine(phase, 60)]),
      ...(reason ? [showLine(reason, 200)] : []),
    ].join(' · '),
  };
}
