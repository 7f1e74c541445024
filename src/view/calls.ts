import type { ToolUseBlock } from '../protocol/message.ts';
import { boundInput, cutLine } from './bound.ts';
import type { ShownCall } from './call.ts';
import { proposedDiff } from './diff.ts';
import type { Entry } from './entry.ts';

/** A call as the answer holds it: not judged, not started. */
export function buildCall({ id, name, input }: ToolUseBlock, messageUuid: string, at: number): ShownCall {
  return {
    id,
    messageUuid,
    toolName: name,
    summary: summariseInput(name, input),
    input: boundInput(input),
    state: 'waiting',
    startedAt: at,
    durationMs: null,
    progress: '',
    result: null,
    diff: proposedDiff(name, input),
    denial: null,
    verdict: null,
    hooks: [],
    agents: [],
  };
}

const telling = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'skill'];
const lessTelling = ['to', 'task_id', 'path', 'name', 'message', 'prompt'];

/** Used until the tool itself describes the call, and if that was not stored. */
export function summariseInput(toolName: string, input: Readonly<Record<string, unknown>>): string {
  if (toolName === 'Agent')
    return cutLine(
      [input.subagent_type, input.description].filter((part) => typeof part === 'string').join(' '),
    );
  if (Array.isArray(input.todos)) return `${input.todos.length} items`;
  const key = [...telling, ...lessTelling].find((name) => typeof input[name] === 'string');
  return key === undefined ? '' : cutLine(String(input[key]));
}

export function isOver({ state }: ShownCall): boolean {
  return state === 'done' || state === 'failed' || state === 'denied' || state === 'lost';
}

/**
 * The finished calls at the head, as entries, and those not yet to be shown as finished: an entry is in the place of
 * its call in the answer, and agents started side by side share one.
 */
export function takeOver(
  calls: readonly ShownCall[],
  at: number,
): { entries: Entry[]; rest: readonly ShownCall[] } {
  const entries: Entry[] = [];
  let next = 0;
  while (next < calls.length) {
    const size = measureGroup(calls, next);
    const group = calls.slice(next, next + size);
    if (!group.every(isOver)) break;
    const entry = buildEntry(group, at);
    if (entry) entries.push(entry);
    next += size;
  }
  return { entries, rest: next === 0 ? calls : calls.slice(next) };
}

function measureGroup(calls: readonly ShownCall[], start: number): number {
  let size = 0;
  while (calls[start + size]?.toolName === 'Agent') size++;
  return Math.max(1, size);
}

function buildEntry(group: readonly ShownCall[], at: number): Entry | undefined {
  const [first] = group;
  if (!first) return undefined;
  const id = `${first.messageUuid}:${first.id}`;
  return first.toolName === 'Agent'
    ? { id, at, kind: 'agents', calls: group }
    : { id, at, kind: 'call', call: first };
}
