import { expect, test } from 'bun:test';
import { openContext } from '../../src/agents/child-context.ts';
import type { AgentKernel } from '../../src/agents/kernel.ts';
import type { AgentSpec } from '../../src/agents/spec.ts';
import type { AgentContext } from '../../src/loop/agent-context.ts';
import { openCeiling } from '../../src/permissions/ceiling.ts';
import type { FileState, FileStates, TaskEnd } from '../../src/protocol/index.ts';
import { stage } from '../loop/support.ts';
import { stageAgents, stageSpec } from './stage.ts';

const seen: FileState = { hash: 'h' };

function fileStates(): FileStates {
  const states = new Map<string, FileState>([['/read/by/parent', seen]]);
  return {
    get: (path) => states.get(path),
    set: (path, state) => states.set(path, state),
    all: () => states,
  };
}

function family(more: Partial<AgentSpec> = {}) {
  const agents = stageAgents();
  const parent: AgentContext = stage([], { hands: { files: fileStates() } }).agent;
  const controller = new AbortController();
  const child = openContext(agents, {
    ...specBelow(agents, parent, '/workspace/part'),
    system: ['its own'],
    permissions: () => ({ ...parent.permissions, mode: 'plan' }),
    ...more,
  })(controller.signal);
  return { agents, parent, child, controller };
}

function specBelow(agents: AgentKernel, parent: AgentContext, cwd = '/workspace', id = 'achild'): AgentSpec {
  const spec = stageSpec(agents, parent, { id });
  return {
    ...spec,
    permissions: () => ({ ...parent.permissions, ceiling: openCeiling }),
    place: { ...spec.place, cwd },
  };
}

test('CX1 what the parent has read is unknown to a child, and what the child reads to its parent', () => {
  const { parent, child } = family();
  expect(child.hands.files.get('/read/by/parent')).toBeUndefined();
  child.hands.files.set('/read/by/child', seen);
  expect(parent.hands.files.get('/read/by/child')).toBeUndefined();
});

test('CX1 a child that inherits the conversation has a copy of what was read, and each goes on by itself', () => {
  const { parent, child } = family({ source: 'fork' });
  expect(child.hands.files.get('/read/by/parent')).toEqual(seen);
  child.hands.files.set('/read/by/child', seen);
  parent.hands.files.set('/read/later', seen);
  expect(parent.hands.files.get('/read/by/child')).toBeUndefined();
  expect(child.hands.files.get('/read/later')).toBeUndefined();
});

test('CX1 a child works in a directory of its own: moving one moves nobody else', () => {
  const { parent, child } = family();
  const before = parent.hands.directory.current;
  expect(child.hands.directory.current).toBe('/workspace/part');
  child.hands.directory.move('/workspace/elsewhere');
  expect(parent.hands.directory.current).toBe(before);
  expect(child.hands.directory.root).toBe(parent.hands.directory.root);
});

test('CX1 large outputs of two agents never share a file, whatever ids their calls have', () => {
  const outputs = { pathFor: (name: string) => `/outputs/${name}` };
  const agents = stageAgents();
  const parent = stage([], { hands: { outputs } }).agent;
  const make = (agentId: string) =>
    openContext(agents, specBelow(agents, parent, '/workspace', agentId))(new AbortController().signal);
  const paths = ['aone', 'atwo'].map((id) => make(id).hands.outputs.pathFor('toolu_1'));
  expect(new Set([...paths, parent.hands.outputs.pathFor('toolu_1')]).size).toBe(3);
});

test("CX1 a child's list of todos is its own, and says whose it is", () => {
  const { agents, child } = family();
  child.hands.todos.replace([]);
  expect(agents.events).toEqual([
    { type: 'todos_changed', todos: [], agentId: 'achild', parentToolUseId: 'toolu_1' },
  ]);
});

test("CX1 tasks are in the root's registry, where a child sees its own and nobody else's", async () => {
  const { agents, child } = family();
  const waits = () => new Promise<TaskEnd>(() => {});
  const spec = { kind: 'local_bash', description: 'x', background: true, run: waits } as const;
  const own = child.hands.tasks.spawn({ ...spec, owner: null });
  const others = agents.tasks.spawn({ ...spec, owner: null });
  expect(agents.tasks.view(own.id)?.owner).toBe('achild');
  expect(child.hands.tasks.find(own.id)?.id).toBe(own.id);
  expect(child.hands.tasks.find(others.id)).toBeUndefined();
  expect(child.hands.tasks.running?.().map((task) => task.id)).toEqual([own.id]);
});

test('CX1 a child has a chain of its own, one deeper, that lasts over its runs', () => {
  const { agents, parent } = family();
  const make = openContext(agents, specBelow(agents, parent));
  const [first, second] = [make(new AbortController().signal), make(new AbortController().signal)];
  expect(first.identity.chainId).not.toBe(parent.identity.chainId);
  expect(second.identity.chainId).toBe(first.identity.chainId);
  expect(first.identity.depth).toBe(parent.identity.depth + 1);
});

test("CX1 messages and letters are the child's own", () => {
  const { parent, child } = family();
  child.inbox.post({ delivery: 'steer', content: [], origin: { kind: 'delegation' } });
  expect(parent.inbox.isEmpty()).toBe(true);
  expect(child.conversation).not.toBe(parent.conversation);
  expect(child.conversation.records).toEqual([]);
});

test("CX1 a child reads the session's rules through its own view, and has no way to write them", () => {
  const { parent, child } = family();
  expect(child.permissions.mode).toBe('plan');
  expect(parent.permissions.mode).not.toBe('plan');
  expect(Object.getOwnPropertyDescriptor(child, 'permissions')?.set).toBeUndefined();
});

test('CX1 a child ends by its own signal, which its parent does not feel', () => {
  const { parent, child, controller } = family();
  controller.abort('enough');
  expect(child.signal.aborted).toBe(true);
  expect(parent.signal.aborted).toBe(false);
});
