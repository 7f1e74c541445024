import { expect, test } from 'bun:test';
import { ok } from '../../src/lib/result.ts';
import { bashTool } from '../../src/tools/bash/bash.ts';
import { coreTools } from '../../src/tools/index.ts';
import { taskOutputTool } from '../../src/tools/task-output.ts';
import { taskStopTool } from '../../src/tools/task-stop.ts';
import { todoWriteTool } from '../../src/tools/todo-write.ts';
import { call, toolContextForTests } from './support.ts';

const tools = coreTools({ kind: 'missing' }, '/nonexistent');

test('P1 the order of tools never changes', () => {
  expect(tools.map((tool) => tool.name)).toEqual([
    'Read',
    'Edit',
    'Write',
    'Bash',
    'Grep',
    'Glob',
    'TodoWrite',
    'TaskOutput',
    'TaskStop',
    'NotebookEdit',
    'WebFetch',
    'Monitor',
    'AskUserQuestion',
  ]);
});

test('WebSearch is there only where somebody searches, AskUserQuestion only where somebody answers', () => {
  const search = { url: 'https://a.example', find: async () => ok({ text: '', results: [] }) };
  const names = coreTools({ kind: 'missing' }, '/nonexistent', { search, attended: false }).map(
    (tool) => tool.name,
  );
  expect(names.slice(-3)).toEqual(['WebFetch', 'Monitor', 'WebSearch']);
});

test('a command for the background is refused in whole words where nothing runs there', () => {
  const bash = coreTools({ kind: 'missing' }, '/nonexistent', { background: false }).find(
    ({ name }) => name === 'Bash',
  );
  const read = bash?.schema.safeParse({ command: 'ls', run_in_background: true });
  expect(read?.success === false && read.error.issues[0]?.message).toBe(
    'expected false, since background tasks are switched off here, got true',
  );
});

test('what a model is told of the tools stays short', () => {
  const told = tools.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: schema.toJSONSchema(),
  }));
  expect(JSON.stringify(told).length).toBeLessThan(10_000);
});

test('EX5 only tools that change nothing run beside others', () => {
  const input = {
    file_path: 'a',
    pattern: 'a',
    task_id: 'a',
    command: 'a',
    todos: [],
    content: '',
    old_string: '',
    new_string: '',
  };
  expect(tools.filter((tool) => tool.concurrent(input)).map((tool) => tool.name)).toEqual([
    'Read',
    'Grep',
    'Glob',
    'TaskOutput',
    'WebFetch',
  ]);
});

test('accesses carry absolute, normalised paths', () => {
  const input = { file_path: 'a/../b', path: './c', pattern: '*', command: 'x' };
  const accesses = tools.slice(0, 6).map((tool) => tool.access(input, '/w')[0]);
  expect(accesses).toEqual([
    { kind: 'read', path: '/w/b' },
    { kind: 'write', path: '/w/b' },
    { kind: 'write', path: '/w/b' },
    { kind: 'shell', command: 'x', cwd: '/w' },
    { kind: 'read', path: '/w/c' },
    { kind: 'read', path: '/w/c' },
  ]);
});

test('the list of todos is replaced', async () => {
  const context = toolContextForTests();
  const todos = [
    { content: 'a', status: 'completed' },
    { content: 'b', status: 'in_progress', activeForm: 'doing b' },
  ];
  const result = await call(todoWriteTool, { todos }, context);
  expect(result.text).toBe('The list is updated: 1 done, 1 to do.');
  expect(context.todoList as unknown[]).toEqual(todos);
});

test('the output of a task is shown while it runs and when it has ended', async () => {
  const context = toolContextForTests();
  await call(
    bashTool,
    { command: 'echo one; sleep 0.4; echo two; exit 3', run_in_background: true },
    context,
  );
  const early = await call(taskOutputTool, { task_id: 'b1', timeout: 150 }, context);
  expect(early.text).toBe('Task b1: running\none');
  const late = await call(taskOutputTool, { task_id: 'b1' }, context);
  expect(late.text).toBe('Task b1: failed (Exit code 3)\none\ntwo');
});

test('a task is stopped once', async () => {
  const context = toolContextForTests();
  await call(bashTool, { command: 'sleep 100', run_in_background: true }, context);
  expect((await call(taskStopTool, { task_id: 'b1' }, context)).text).toBe('Task b1 was stopped.');
  expect((await call(taskStopTool, { task_id: 'b1' }, context)).text).toBe(
    'Task b1 had already ended: killed.',
  );
});

test('a task that is not known is an error', async () => {
  const context = toolContextForTests();
  expect((await call(taskOutputTool, { task_id: 'x' }, context)).isError).toBe(true);
  expect((await call(taskStopTool, { task_id: 'x' }, context)).isError).toBe(true);
});
