import { boundText } from '../../lib/text/text.ts';
import { typedBlocks } from '../../protocol/additions.ts';
import {
  type CarriedState,
  canonicalToolName,
  type MessageRecord,
  type TaskView,
  type TodoItem,
  type ToolUseBlock,
  textOf,
  toolUses,
} from '../../protocol/index.ts';
import type { AgentContext } from '../agent-context.ts';
import { prepareCall } from '../prepare-call.ts';
import { boundTokens } from './excerpts.ts';
import { isPrompt } from './plan.ts';

const maxFiles = 80;
const maxPrompts = 30;
const promptCharacters = 500;

/**
 * State that the harness knows without asking the model: read from the messages and from what the previous compaction
 * carried, so that it is the same after resuming. Prompts that stay need not be carried.
 */
export function carryState(
  agent: AgentContext,
  records: readonly MessageRecord[],
  stays: ReadonlySet<string>,
): CarriedState {
  const failed = failedCalls(records);
  const state: CarriedState = { todos: [], files: [], prompts: [] };
  const files = new Map<string, boolean>();
  for (const record of records) {
    if (record.type === 'assistant') {
      const calls = toolUses(record.message).filter((call) => !failed.has(call.id));
      for (const call of calls) noteCall(agent, call, state, files);
    } else if (record.origin.kind === 'compaction') {
      state.todos = record.origin.carried.todos;
      state.prompts = [...record.origin.carried.prompts];
      for (const { path, changed } of record.origin.carried.files) files.set(path, changed);
    } else if (isPrompt(record) && !stays.has(record.uuid)) {
      state.prompts.push(boundText(textOf(typedBlocks(record.message.content)).trim(), promptCharacters));
    }
  }
  state.files = [...files].slice(-maxFiles).map(([path, changed]) => ({ path, changed }));
  // The first prompt says what the work is about.
  if (state.prompts.length > maxPrompts) state.prompts.splice(1, state.prompts.length - maxPrompts);
  return state;
}

/** In Markdown, within the budget; empty when there is nothing to say. */
export function renderState(
  { todos, files, prompts }: CarriedState,
  tasks: readonly TaskView[],
  maxTokens: number,
): string {
  const sections = [
    section('Earlier user messages, oldest first', prompts.map(quote)),
    section('Todo list', todos.map(renderTodo)),
    section('Running background tasks', tasks.map(renderTask)),
    section('Files used so far, most recent last', files.map(renderFile)),
  ].filter((text) => text !== '');
  const share = Math.floor(maxTokens / Math.max(1, sections.length));
  return sections.map((text) => boundTokens(text, share)).join('\n\n');
}

function failedCalls(records: readonly MessageRecord[]): Set<string> {
  const results = records.flatMap((record) => (record.type === 'user' ? record.message.content : []));
  return new Set(
    results.flatMap((block) => (block.type === 'tool_result' && block.is_error ? [block.tool_use_id] : [])),
  );
}

function noteCall(agent: AgentContext, use: ToolUseBlock, state: CarriedState, files: Map<string, boolean>) {
  const call = prepareCall(agent, use);
  if (!call.ok) return;
  if (canonicalToolName(use.name) === 'TodoWrite') state.todos = readTodos(call.input);
  if (!('file_path' in call.input) && !('notebook_path' in call.input)) return;
  for (const access of call.tool.access(call.input, agent.hands.directory.current)) {
    if (access.kind !== 'read' && access.kind !== 'write') continue;
    const changed = access.kind === 'write' || files.get(access.path) === true;
    files.delete(access.path);
    files.set(access.path, changed);
  }
}

/** The schema ensures that they are items; another tool of that name may hold other values. */
function readTodos({ todos }: Record<string, unknown>): TodoItem[] {
  return Array.isArray(todos)
    ? todos.filter((item) => typeof item?.content === 'string' && typeof item?.status === 'string')
    : [];
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`## ${title}`, ...lines].join('\n');
}

function quote(text: string): string {
  return `- ${text.replaceAll('\n', '\n  ')}`;
}

function renderTodo({ status, content }: TodoItem): string {
  const mark = status === 'completed' ? 'x' : ' ';
  return `- [${mark}] ${content}${status === 'in_progress' ? ' (in progress)' : ''}`;
}

function renderTask({ id, description, outputFile }: TaskView): string {
  return `- ${id}: ${description} (output in ${outputFile})`;
}

function renderFile({ path, changed }: CarriedState['files'][number]): string {
  return `- ${path}${changed ? ' (changed)' : ''}`;
}
