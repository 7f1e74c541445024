import { createReadStream, existsSync } from 'node:fs';
import { complain } from '../../headless/complain.ts';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { ok, type Problem, type Result } from '../../lib/result.ts';
import { visible } from '../../lib/text/text.ts';
import { checkHome, lookAround, type Surroundings } from '../../session/surroundings.ts';
import { createSessionLayout } from '../../store/layout.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import { describeLostOutput, readBounded } from '../../tools/bash/output.ts';
import { countAgentTokens } from '../cost.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type FoundTask, findSessions, findTask, readSessionTasks, type SessionTasks } from './find-task.ts';
import { followTasks } from './follow-tasks.ts';
import { lastActivities } from './last-activities.ts';
import { asData, renderList, renderTask, type TaskDetails } from './render-tasks.ts';
import { stopTask } from './stop-task.ts';

export type TasksAction = 'list' | 'show' | 'output' | 'follow' | 'stop';

export type TasksFlags = FlagsOf<'tasks list'> & FlagsOf<'tasks output'>;

/** `cadre tasks`: background work of a session, including one that another process has open. */
export async function manageTasks(action: TasksAction, id: string, flags: TasksFlags): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const home = checkHome(around);
  if (!home.ok) return complain(io, home.problem);
  const text = await act(io, around, action, id, flags);
  if (!text.ok) return complain(io, text.problem);
  return text.value === '' || (await io.writeOut(text.value)) ? 0 : 1;
}

function act(
  io: Io,
  around: Surroundings,
  action: TasksAction,
  id: string,
  flags: TasksFlags,
): Promise<Result<string>> {
  if (action === 'list') return list(around, flags);
  return action === 'follow' ? followTasks(io, around, id, flags) : withTask(io, around, action, id, flags);
}

async function list(around: Surroundings, flags: TasksFlags): Promise<Result<string>> {
  const sessions = await findSessions(around, flags);
  if (!sessions.ok) return sessions;
  const found: SessionTasks[] = [];
  for (const session of sessions.value) {
    const tasks = await readSessionTasks(session, around.home);
    if (!tasks.ok) return tasks;
    found.push(tasks.value);
  }
  return ok(
    flags.json
      ? json(found.flatMap(({ tasks }) => tasks.map(asData)))
      : renderList(found, around.clock.now()),
  );
}

async function withTask(
  io: Io,
  around: Surroundings,
  action: Exclude<TasksAction, 'list' | 'follow'>,
  id: string,
  flags: TasksFlags,
): Promise<Result<string, Problem>> {
  const found = await findTask(around, id, flags);
  if (!found.ok) return found;
  if (action === 'show') return ok(await show(found.value, around, flags));
  if (action === 'output') return output(io, found.value, flags);
  const stopped = await stopTask(around, found.value);
  if (!stopped.ok) return stopped;
  return ok(flags.json ? json(stopped.value) : `${stopped.value.message}\n`);
}

async function show(found: FoundTask, around: Surroundings, flags: TasksFlags): Promise<string> {
  const details = await readDetails(found);
  if (!flags.json) return renderTask(details, around.clock.now());
  const { activities, transcript, tokens } = details;
  return json({ ...asData(found), activities, transcript, tokens });
}

async function readDetails(found: FoundTask): Promise<TaskDetails> {
  const { session, task } = found;
  if (!task.agent) return { ...found, activities: [] };
  const transcript = createSessionLayout(session.projectDirectory, session.id).agentTranscript(task.id);
  const known = task.agent.progress?.activities ?? [];
  const activities = isUnderWay(task) || known.length === 0 ? lastActivities(transcript) : known;
  const tokens = await countAgentTokens(session.path, task.id);
  return {
    ...found,
    activities,
    transcript: existsSync(transcript) ? transcript : undefined,
    tokens,
  };
}

const maxCharacters = 30_000;

async function output(io: Io, { task }: FoundTask, flags: TasksFlags): Promise<Result<string>> {
  const lost = task.kind === 'local_bash' ? describeLostOutput(task.outputFile) : undefined;
  if (lost !== undefined) io.writeErr(`cadre: task ${task.id}: ${lost}\n`);
  if (flags.full && !flags.json) return copyOutput(io, task.outputFile);
  const { text, size, isWhole } = readBounded(
    task.outputFile,
    flags.full ? Number.MAX_SAFE_INTEGER / 8 : maxCharacters,
  );
  if (flags.json)
    return ok(
      json({ taskId: task.id, status: task.status, output: text, totalBytes: size, truncated: !isWhole }),
    );
  if (!isWhole)
    io.writeErr(
      `cadre: only part of the output (${size} bytes) is shown; --full prints all of it: ${task.outputFile}\n`,
    );
  if (size === 0 && lost === undefined)
    io.writeErr(`cadre: task ${task.id} has no output${isUnderWay(task) ? ' yet' : ''}.\n`);
  return ok(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}

/** Unchanged, except on a terminal, where control sequences in it would take effect. */
async function copyOutput(io: Io, path: string): Promise<Result<string>> {
  if (!existsSync(path)) return ok('');
  const decoder = new TextDecoder();
  for await (const chunk of createReadStream(path)) {
    const text = decoder.decode(chunk as Buffer, { stream: true });
    if (!(await io.writeOut(io.outputIsTerminal ? visible(text) : text))) break;
  }
  return ok(decoder.decode());
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
