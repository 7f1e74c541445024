import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { AgentEvent, HookView, TaskView } from '../../src/protocol/index.ts';
import { call, say } from '../../src/testing/index.ts';
import {
  countSuspended,
  emptyView,
  formatSummary,
  reduceAll,
  type ViewEvent,
  worktreeList,
} from '../../src/view/index.ts';
import { openStory } from '../agents/support.ts';
import { place } from '../session/support.ts';
import { lead, told, watch } from './support.ts';

const after = (...events: ViewEvent[]) => reduceAll(emptyView(), events, 1_000);

test('while a request waits or is tried again it says why and until when, and no longer than that', () => {
  const retried = lead({
    ...{ type: 'request_retried' as const, attempt: 2, delayMs: 500 },
    failure: { kind: 'overloaded' as const, message: 'The provider is busy.' },
  });
  const waiting = after(retried);
  expect(waiting.lead.live.wait).toEqual({
    ...{ kind: 'retry', attempt: 2, until: 1_500, reason: 'The provider is busy.' },
  });
  const begun = lead({
    type: 'model_streamed',
    event: { type: 'response_started', id: 'm', model: 'm' },
  } as const);
  expect(reduceAll(waiting, [begun]).lead.live.wait).toBeNull();
});

test('G13 a suspended lead and its suspended agents say why and until when, until the wait is over', () => {
  const suspended = { model: 'a/one', reason: 'Your limit is used up.', until: 18_001_000 };
  const waited = { type: 'request_waited' as const, reason: 'x', delayMs: 18_000_000 };
  const waiting = after(lead({ ...waited, suspended }));
  expect(waiting.lead.live.wait).toEqual({
    kind: 'suspended',
    reason: suspended.reason,
    until: suspended.until,
  });
  const progress = { toolUses: 0, spentTokens: 0, runTokens: 0, activities: [] };
  const task: TaskView = {
    ...{ id: 'a1', runId: 'r1', kind: 'local_agent', status: 'running', description: 'Work', owner: null },
    ...{ startedAt: new Date(0).toISOString(), outputFile: '/out', isBackgrounded: true, suspended },
    agent: { type: 'worker', prompt: 'Work.', model: 'a/one', depth: 1, progress },
  };
  const both = reduceAll(waiting, [lead({ type: 'task_changed', task })]);
  expect(both.agents.get('a1')).toMatchObject({
    state: 'running',
    suspended: { reason: suspended.reason, until: suspended.until },
  });
  expect(countSuspended(both)).toMatchObject({ suspended: 2, suspendedUntil: suspended.until });
  const { suspended: _, ...awake } = task;
  const over = reduceAll(both, [
    lead({ ...waited, delayMs: 0, isOver: true }),
    lead({ type: 'task_changed', task: awake }),
  ]);
  expect(over.lead.live.wait).toBeNull();
  expect(countSuspended(over)).toMatchObject({ suspended: 0, suspendedUntil: null });
});

test('a request that is not sent again does not wait', () => {
  const given = lead({
    type: 'request_retried' as const,
    attempt: 1,
    delayMs: 7_200_000,
    isLast: true as const,
    failure: { kind: 'rate_limited' as const, message: 'Quota used up.' },
  });
  expect(after(given).lead.live.wait).toBeNull();
});

test('another model that answers is said in the conversation', () => {
  const taken: AgentEvent = lead({
    type: 'fallback_taken',
    from: 'a/one',
    to: 'b/two',
    reason: 'a long wait',
  });
  expect(told(after(taken).lead)).toEqual(['warning: using b/two instead of a/one: a long wait']);
});

test('hooks are seen while they run, and afterwards where they had something to say', () => {
  const hook: HookView = { id: 'h', event: 'Stop', name: 'Stop', source: 'x' };
  const started = after(lead({ type: 'hook_started', hook }));
  expect(started.lead.live.hooks).toEqual([hook]);
  const end = { outcome: 'success' as const, stdout: '', stderr: '', durationMs: 1 };
  expect(told(reduceAll(started, [lead({ type: 'hook_ended', hook, end })]).lead)).toEqual([]);
  const spoke = lead({ type: 'hook_ended' as const, hook, end: { ...end, word: 'goes on' } });
  expect(told(reduceAll(started, [spoke]).lead)).toEqual(['hook Stop: goes on']);
});

test('notices for whoever looks for a reason are listed, and in no conversation', () => {
  const view = after(
    lead({ type: 'notice_given', level: 'debug', text: 'inner' }),
    lead({ type: 'notice_given', level: 'info', text: 'outer' }),
  );
  expect(view.notices.map(({ text }) => text)).toEqual(['inner', 'outer']);
  expect(told(view.lead)).toEqual(['info: outer']);
});

test('another model has another window, and what the surface knows joins the rest', () => {
  const view = after(
    { type: 'session_described', info: { id: 's', cwd: '/work', contextWindow: 1_000, mode: 'coordinator' } },
    { type: 'branch_changed', branch: 'main' },
    lead({ type: 'model_changed', model: 'a/b', contextWindow: 2_000 }),
    lead({ type: 'mode_changed', permissionMode: 'plan' }),
    lead({ type: 'todos_changed', todos: [{ content: 'Rest', status: 'pending' }] }),
  );
  expect(view.session).toMatchObject({
    ...{ id: 's', cwd: '/work', branch: 'main', model: 'a/b', mode: 'plan', coordinator: true },
    ...{ context: { window: 2_000 }, todos: [{ content: 'Rest' }] },
  });
});

test('the leases of an agent take the place of those it had', () => {
  const leased = (agentId: string | null, ...paths: string[]): ViewEvent => ({
    ...{ agentId, parentToolUseId: null, type: 'leases_changed', leases: paths.map((path) => ({ path })) },
  });
  const view = after(leased('a', '/x', '/y'), leased(null, '/z'), leased('a', '/y'));
  expect(view.leases).toEqual([
    { path: '/z', holder: null },
    { path: '/y', holder: 'a' },
  ]);
  expect(reduceAll(view, [leased('a')]).leases).toEqual([{ path: '/z', holder: null }]);
});

test('a step back is said where it happens', async () => {
  const story = await openStory({ lead: [say('One.'), say('Two.')], agents: {} });
  await story.prompt('First');
  await story.prompt('Second');
  await story.session.close();
  const before = watch(story.events);
  const to = before.lead.entries.findLast(({ kind }) => kind === 'prompt')?.id ?? '';
  const back: ViewEvent = lead({ type: 'session_rewound', to, head: 'x', restored: [], removed: [] });
  const { lead: conversation, session } = watch([{ ...back, contextTokens: 7 }], before);
  expect([session.context.used, watch([back], before).session.context.used]).toEqual([
    7,
    before.session.context.used,
  ]);
  expect(told(conversation)).toEqual([...told(before.lead), `went back to ${to}`]);
});

test('calls whose results never came are lost when the run ends, and said once', () => {
  const content = [{ type: 'tool_use' as const, id: 'c', name: 'Bash', input: { command: 'ls' } }];
  const usage = {
    ...{ input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
  const view = watch([
    lead({
      type: 'message_added',
      record: {
        ...{ type: 'assistant', uuid: 'u', parentUuid: null, sessionId: 's', isSidechain: false },
        timestamp: '2026-01-01T00:00:00.000Z',
        message: { role: 'assistant', id: 'm', model: 'm', content, stop_reason: 'tool_use', usage },
      },
    }),
    lead({
      ...{ type: 'run_ended', prompts: [], durationMs: 1, modelMs: 1 },
      outcome: { kind: 'failed', text: '', reason: 'The disk is full.', turns: 1, usage },
    }),
  ]);
  expect(told(view.lead)).toEqual(['Bash ls lost', 'end: failed (The disk is full.)']);
});

test('an agent that works apart says where, from its start on; its end says what it was', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: at.cwd, env: { ...at.environment } });
  git('init', '-q');
  git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'x');
  const input = { description: 'Mend', prompt: 'Work', isolation: 'worktree', subagent_type: 'smith' };
  const story = await openStory(
    { lead: [call('Agent', input), say('Ok.')], agents: { Work: [say('Done.')] } },
    { agents: { smith: { description: 'x', prompt: 'You make.' } } },
    at,
  );
  await story.prompt('Go');
  await story.session.close();
  const first = story.events.findIndex((event) => event.type === 'task_changed');
  const [worktree] = worktreeList(watch(story.events.slice(0, first + 1)));
  const [agent] = watch(story.events).agents.values();
  expect(worktree).toMatchObject({ agentId: agent?.id, diffstat: null });
  expect(worktree?.path).toBe(agent?.worktree?.path as string);
  expect(agent && formatSummary(agent)).toMatch(/^completed · 0 tools · [\d.k]+ tokens · [\d.]+s$/);
});
