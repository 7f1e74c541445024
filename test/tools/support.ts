import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { Fifos } from '../../src/lib/files/fifo.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { ok, type Result } from '../../src/lib/result.ts';
import { textOf } from '../../src/protocol/message.ts';
import type { TaskHandle, TaskSpec } from '../../src/protocol/task.ts';
import type {
  FileState,
  TodoItem,
  Tool,
  ToolContext,
  ToolProgress,
  ToolResult,
} from '../../src/protocol/tool.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

export interface TestContext extends ToolContext {
  /** The working directory, empty at first. */
  readonly root: string;
  readonly outputDirectory: string;
  readonly kept: { path: string; before: string | null; toolUseId: string }[];
  readonly todoList: TodoItem[];
  write(name: string, content: string | Uint8Array): string;
  content(name: string): string;
}

/** A context over real temporary directories, with the plainest parts that do what their ports say. */
export function toolContextForTests(overrides: Partial<ToolContext> = {}): TestContext {
  const base = temporaryDirectory().path;
  const root = join(base, 'work');
  const outputDirectory = join(base, 'outputs');
  for (const directory of [root, outputDirectory]) mkdirSync(directory);
  const states = new Map<string, FileState>();
  const kept: TestContext['kept'] = [];
  const todoList: TodoItem[] = [];
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: base,
    CADRE_OWNER: `test-${hashBytes(base).slice(0, 12)}`,
  };
  let current = root;
  return {
    agentId: null,
    toolUseId: 'toolu_test',
    signal: new AbortController().signal,
    clock: systemClock,
    directory: {
      root,
      get current() {
        return current;
      },
      move: (path) => {
        current = path;
      },
    },
    mayRead: () => true,
    judged: resolveRealPath,
    files: { get: (path) => states.get(path), set: (path, state) => void states.set(path, state) },
    history: {
      async keep(path, before, toolUseId): Promise<Result<void>> {
        kept.push({ path, before: before && Buffer.from(before as Uint8Array).toString(), toolUseId });
        return ok(undefined);
      },
    },
    outputs: { pathFor: (name) => join(outputDirectory, name) },
    shell: {
      shell: '/bin/bash',
      maxOutputCharacters: 30_000,
      fifos: new Fifos(() => outputDirectory),
      environment: async () => env,
    },
    tasks: simpleTasks(outputDirectory),
    todos: {
      replace: (items) => {
        todoList.splice(0, todoList.length, ...items);
      },
    },
    ...overrides,
    root,
    outputDirectory,
    kept,
    todoList,
    write(name, content) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    content: (name) => readFileSync(join(root, name), 'utf8'),
  };
}

export interface Called extends ToolResult {
  text: string;
  progress: ToolProgress[];
}

/** Parses the input as the loop would, and runs the tool to its end. */
export async function call(tool: Tool, input: unknown, context: ToolContext): Promise<Called> {
  const run = tool.run(tool.schema.parse(input), context);
  const progress: ToolProgress[] = [];
  for (;;) {
    const next = await run.next();
    if (next.done) return { ...next.value, text: textOf(next.value.content), progress };
    progress.push(next.value);
  }
}

function simpleTasks(directory: string) {
  const tasks = new Map<string, TaskHandle>();
  return {
    spawn(spec: TaskSpec): TaskHandle {
      const id = `b${tasks.size + 1}`;
      const outputFile = join(directory, `${id}.out`);
      const controller = new AbortController();
      let status: ReturnType<TaskHandle['status']> = 'running';
      const result = spec
        .run({
          ...{ id, runId: id, outputFile, signal: controller.signal },
          ...{ suspend: () => {}, rest: () => {}, progress: () => {}, tell: () => {} },
        })
        .then((end) => {
          status = end.status;
          return end;
        });
      const kill = async () => {
        controller.abort();
        await result;
      };
      const handle: TaskHandle = {
        ...{ id, kind: spec.kind, runId: id, outputFile, kill },
        status: () => status,
        result: () => result,
        moveToBackground: () => false,
        isBackgrounded: () => true,
        backgrounded: async () => {},
        noteRetrieved: () => {},
      };
      tasks.set(id, handle);
      return handle;
    },
    find: (id: string) => tasks.get(id),
  };
}
