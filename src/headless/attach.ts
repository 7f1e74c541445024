import type { Clock } from '../lib/clock.ts';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { randomIds } from '../lib/ids.ts';
import { readJsonlTail } from '../lib/jsonl/jsonl.ts';
import { fail, formatError, type Problem, type Result } from '../lib/result.ts';
import {
  type AgentEvent,
  type Command,
  readPermissionMode,
  type TranscriptRecord,
} from '../protocol/index.ts';
import type { AttachedSession } from '../session/attached/attached-session.ts';
import { checkRecord } from '../store/check-record.ts';
import { formatAttached, listEarlierLines } from './attach-lines.ts';
import { complain } from './complain.ts';
import { HostQuestions } from './host/host-questions.ts';
import { type ControlRequest, type HostMessage, parseHostMessage } from './host/wire.ts';
import { type Io, writeFrame } from './io.ts';
import { createOutput, type Output } from './output.ts';
import { readLines } from './read-lines.ts';

export interface AttachRequest {
  format: 'text' | 'stream-json';
  includePartialMessages: boolean;
  clock: Clock;
  /** Ends the look; the session keeps running. */
  signal: AbortSignal;
}

const earlierMessages = 20;
const earlierBytes = 256 * 1024;

/**
 * A look at a session of another process without a screen: what happens goes out line by line, and prompts come in. When the input
 * ends, it waits until the session has answered them; without input, until the session or the reader ends it.
 */
export async function attachHeadless(
  session: AttachedSession,
  request: AttachRequest,
  io: Io,
): Promise<number> {
  const line = openLine(session, request, io);
  const left = Promise.withResolvers<'left'>();
  request.signal.addEventListener('abort', () => left.resolve('left'), { once: true });
  const isWritten = io.inputKind === 'pipe' || io.inputKind === 'file';
  const read = isWritten ? readInput(line, io) : undefined;
  const answered = read?.then((problem) => problem ?? line.settled());
  const end = await Promise.race([
    left.promise,
    line.shown,
    ...(answered ? [answered.then((problem) => problem ?? 'left')] : []),
  ]);
  await session.close();
  await line.shown;
  if (typeof end === 'object') return complain(io, end);
  const ended = await session.ended;
  return end === 'left' || ended.kind === 'closed' ? 0 : complain(io, lost(session.id));
}

function lost(id: string): Problem {
  return {
    kind: 'failure',
    message: 'The connection to the session is lost.',
    hint: `Attach again: cadre attach ${id}`,
  };
}

interface Line {
  take(text: string, number: number): Promise<Problem | undefined>;
  /** Resolves when the lead has nothing left to answer. */
  settled(): Promise<undefined>;
  /** Resolves when the last event is out. */
  shown: Promise<'shown'>;
}

function openLine(session: AttachedSession, request: AttachRequest, io: Io): Line {
  const waiting = new Set<string>();
  let isIdle = true;
  let tellSettled = () => {};
  const questions = new HostQuestions(session, io, randomIds);
  const output = request.format === 'text' ? textLines(session, io) : frames(session, request, io, questions);
  const note = (event: AgentEvent) => {
    if (event.agentId !== null) return;
    if (event.type === 'state_changed') isIdle = event.state === 'idle';
    if (event.type === 'run_ended') for (const uuid of event.prompts) waiting.delete(uuid);
    if (event.type === 'prompt_refused' && event.uuid) waiting.delete(event.uuid);
    if (isIdle && waiting.size === 0) tellSettled();
  };
  const show = async () => {
    for await (const event of session.events()) {
      await output.accept(event);
      note(event);
    }
    return 'shown' as const;
  };
  const prompt = (command: Extract<Command, { type: 'prompt' }>) => {
    const uuid = command.uuid ?? crypto.randomUUID();
    waiting.add(uuid);
    session.send({ ...command, uuid });
  };
  return {
    shown: show(),
    settled: () =>
      new Promise((resolve) => {
        tellSettled = () => resolve(undefined);
        if (isIdle && waiting.size === 0) tellSettled();
      }),
    async take(text, number) {
      if (request.format === 'text') return void prompt({ type: 'prompt', content: text });
      const message = parseHostMessage(text, number);
      if (!message.ok) return message.problem;
      return takeMessage(message.value, { session, questions, io, prompt });
    },
  };
}

async function readInput(line: Line, io: Io): Promise<Problem | undefined> {
  for await (const one of readLines(() => io.input)) {
    if ('failed' in one)
      return { kind: 'failure', message: `stdin could not be read: ${formatError(one.failed)}` };
    if ('tooLong' in one) return { kind: 'usage', message: `stdin, line ${one.number}: longer than 32 MB.` };
    const problem = await line.take(one.text, one.number);
    if (problem) return problem;
  }
  return undefined;
}

function textLines(session: AttachedSession, io: Io): Pick<Output, 'accept'> {
  const { transcriptPath } = session.info();
  const earlier = transcriptPath === null ? [] : listEarlierLines(readTail(transcriptPath), earlierMessages);
  const write = (text: string) => io.writeOut(`${text}\n`);
  const begun = earlier.length > 0 ? write(earlier.join('\n')) : Promise.resolve(true);
  return {
    async accept(event) {
      await begun;
      const line = formatAttached(event, session.id);
      if (line !== undefined) await write(line);
    },
  };
}

function readTail(path: string): TranscriptRecord[] {
  const tail = readJsonlTail(path, () => false, earlierBytes);
  return (tail.ok ? tail.value.records : []).flatMap((found) => {
    const checked = checkRecord(found);
    return checked.kind === 'good' ? [checked.record] : [];
  });
}

function frames(
  session: AttachedSession,
  { clock, includePartialMessages }: AttachRequest,
  io: Io,
  questions: HostQuestions,
): Pick<Output, 'accept'> {
  const options = {
    ...{ includePartialMessages, replayUserMessages: true, includeHookEvents: false },
    ...{ forwardSubagentText: true, clock, debug: false, verbose: false },
  };
  const output = createOutput('stream-json', session.info(), options, io);
  return {
    async accept(event) {
      await output.accept(event);
      await questions.accept(event);
    },
  };
}

interface Takers {
  session: AttachedSession;
  questions: HostQuestions;
  io: Io;
  prompt(command: Extract<Command, { type: 'prompt' }>): void;
}

async function takeMessage(
  message: HostMessage,
  { session, questions, io, prompt }: Takers,
): Promise<Problem | undefined> {
  if (message.type === 'refused') return message.problem;
  if (message.type === 'user') {
    const { content, uuid, priority, isVerbatim, isQuiet } = message;
    const delivery = priority === 'now' || priority === 'next' ? 'steer' : 'queue';
    prompt({
      type: 'prompt',
      content,
      delivery,
      ...keepDefined({ uuid, isVerbatim: isVerbatim || undefined, isQuiet: isQuiet || undefined }),
    });
  }
  if (message.type === 'control_response') questions.answer(message);
  if (message.type === 'control_request') await control(message, session, io);
  return undefined;
}

async function control(
  { request_id, request }: ControlRequest,
  session: AttachedSession,
  io: Io,
): Promise<void> {
  const command = readControl(request);
  const done: Result<void> = command
    ? await session.command(command)
    : fail({ kind: 'usage', message: `The request "${request.subtype}" is not possible from here.` });
  const response = done.ok
    ? { subtype: 'success', request_id, response: {} }
    : { subtype: 'error', request_id, error: done.problem.message };
  await writeFrame(io, { type: 'control_response', response });
}

function readControl(request: ControlRequest['request']): Command | undefined {
  const { subtype, mode, model, task_id, tool_use_id } = request;
  const wanted = readPermissionMode(mode);
  if (subtype === 'interrupt') return { type: 'interrupt' };
  if (subtype === 'set_permission_mode' && wanted) return { type: 'set_permission_mode', mode: wanted };
  if (subtype === 'set_model') return { type: 'set_model', model: typeof model === 'string' ? model : null };
  if (subtype === 'stop_task' && typeof task_id === 'string') return { type: 'stop_task', taskId: task_id };
  if (subtype !== 'background_tasks') return undefined;
  return { type: 'background_tasks', toolUseId: typeof tool_use_id === 'string' ? tool_use_id : undefined };
}
