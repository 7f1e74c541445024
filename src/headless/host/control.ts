import { describeValue, renderValue } from '../../lib/fields/describe-value.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { version } from '../../lib/version.ts';
import { permissionModes, readPermissionMode } from '../../protocol/index.ts';
import type { Session } from '../../session/session.ts';
import type { ContextPart } from '../../session/session-views.ts';
import { readBounded } from '../../tools/bash/output.ts';
import type { ControlRequest } from './wire.ts';

export interface ControlRefusal {
  error: string;
  code?: string;
}

/** A host's requests to an open session. Every request is answered; an unknown one with an error. */
export function handleControl(
  session: Session,
  request: ControlRequest['request'],
): Result<object, ControlRefusal> {
  switch (request.subtype) {
    case 'interrupt':
      return interrupt(session, request.cancel_queued ?? false);
    case 'set_permission_mode':
      return setMode(session, request.mode);
    case 'set_model':
      return setModel(session, request.model);
    case 'stop_task':
      return withTask(request, (taskId) => sent(session.send({ type: 'stop_task', taskId })));
    case 'background_tasks':
      return moveToBackground(session, request.tool_use_id);
    case 'get_context_usage':
      return ok(contextUsage(session));
    case 'cancel_async_message':
      return cancelPrompt(session, request.message_uuid);
    case 'get_binary_version':
      return ok({ version });
    case 'set_has_subscribers':
      // It is about lines that wait to be joined; here none does.
      return ok({});
    case 'get_task_output':
      return withTask(request, (taskId) => taskOutput(session, taskId));
    default:
      return fail({
        error: `The request "${request.subtype}" is not supported by this version.`,
        code: 'unsupported_request',
      });
  }
}

function interrupt(session: Session, cancelQueued: unknown): Result<object, ControlRefusal> {
  if (typeof cancelQueued !== 'boolean')
    return fail({
      error: `interrupt: expected cancel_queued to be true or false; found ${describeValue(cancelQueued)}.`,
    });
  const cancelled = cancelQueued ? session.withdrawPrompts() : [];
  session.send({ type: 'interrupt' });
  return ok({ still_queued: session.queuedPrompts(), cancelled: cancelQueued ? cancelled : undefined });
}

/** False for one that was read already, or never sent. */
function cancelPrompt(session: Session, uuid: unknown): Result<object, ControlRefusal> {
  return typeof uuid === 'string'
    ? ok({ cancelled: session.withdrawPrompt(uuid) })
    : fail({ error: 'cancel_async_message: expected message_uuid, the uuid of a prompt.' });
}

function withTask(
  { subtype, task_id }: ControlRequest['request'],
  act: (taskId: string) => Result<object, ControlRefusal>,
): Result<object, ControlRefusal> {
  return typeof task_id === 'string' && task_id !== ''
    ? act(task_id)
    : fail({ error: `${subtype}: expected task_id, the id of a task or the name of an agent.` });
}

/** Nothing to move is not an error; background work that is switched off is. */
function moveToBackground(session: Session, toolUseId: unknown): Result<object, ControlRefusal> {
  const wanted = toolUseId ?? undefined;
  if (wanted !== undefined && (typeof wanted !== 'string' || wanted === ''))
    return fail({
      error: `background_tasks: expected tool_use_id, the id of a call; found ${describeValue(wanted)}.`,
    });
  const moved = session.send({ type: 'background_tasks', toolUseId: wanted });
  return session.info().background ? ok({ backgrounded: moved.ok }) : sent(moved);
}

const maxOutput = 100_000;

function taskOutput(session: Session, taskId: string): Result<object, ControlRefusal> {
  const task = session.task(taskId);
  if (!task) return fail({ error: `No task has the id or name ${visibleLine(taskId, 100)}.` });
  const { text, size, isWhole } = readBounded(task.outputFile, maxOutput);
  return ok({ output: text, total_bytes: size, truncated: !isWhole });
}

function setMode(session: Session, mode: unknown): Result<object, ControlRefusal> {
  const wanted = readPermissionMode(mode);
  if (!wanted)
    return fail({
      error:
        mode === undefined || mode === null
          ? `set_permission_mode: expected mode, one of ${permissionModes.join(', ')}; found ${describeValue(mode)}.`
          : `"${visibleLine(renderValue(mode), 100)}" is not a permission mode; expected one of ${permissionModes.join(', ')}.`,
    });
  const changed = sent(session.send({ type: 'set_permission_mode', mode: wanted }));
  return changed.ok ? ok({ mode: wanted }) : changed;
}

/** No model, null and `default` are the model of the start. */
function setModel(session: Session, model: unknown): Result<object, ControlRefusal> {
  const isNamed = typeof model === 'string' && model.trim() !== '';
  if (!isNamed && model !== undefined && model !== null)
    return fail({ error: `set_model: expected model, the name of a model; found ${describeValue(model)}.` });
  return sent(session.send({ type: 'set_model', model: isNamed && model !== 'default' ? model : null }));
}

function sent(result: Result<void>): Result<object, ControlRefusal> {
  return result.ok ? ok({}) : fail({ error: result.problem.message });
}

const names: Record<ContextPart, { id: string; name: string; color: string }> = {
  system: { id: 'system_prompt', name: 'System prompt', color: 'blue' },
  memory: { id: 'memory_files', name: 'Memory files', color: 'yellow' },
  tools: { id: 'system_tools', name: 'System tools', color: 'cyan' },
  mcpTools: { id: 'mcp_tools', name: 'MCP tools', color: 'magenta' },
  messages: { id: 'messages', name: 'Messages', color: 'green' },
};

/** The answer to a host's `get_context_usage`. The picture of squares is left to the host. */
function contextUsage(session: Session): object {
  const { model, window, used, parts } = session.context();
  return {
    categories: [
      ...parts.map(({ name, tokens }) => ({ ...names[name], tokens, kind: 'used' })),
      {
        id: 'free_space',
        name: 'Free space',
        color: 'gray',
        tokens: Math.max(0, window - used),
        kind: 'free',
      },
    ],
    totalTokens: used,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: Math.round((100 * used) / window),
    gridRows: [],
    model,
    memoryFiles: [],
    mcpTools: [],
  };
}
