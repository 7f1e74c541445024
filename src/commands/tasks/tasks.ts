import { createReadStream, existsSync } from 'node:fs';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { readJsonlTail } from '../../lib/jsonl/jsonl.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visible, visibleLine } from '../../lib/text/text.ts';
import type { AssistantRecord } from '../../protocol/index.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { checkRecord } from '../../store/check-record.ts';
import { createSessionLayout } from '../../store/layout.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import { describeLostOutput, readBounded } from '../../tools/bash/output.ts';
import { countAgentTokens } from '../sessions/cost.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type FoundTask, findSessions, findTask, readSessionTasks, type SessionTasks } from './find-task.ts';
import { followTasks } from './follow-tasks.ts';
import { asData, renderList, renderTask, type TaskDetails } from './render-tasks.ts';
import { stopTask } from './stop-task.ts';

type TasksAction = 'list' | 'show' | 'output' | 'follow' | 'stop';

type TasksFlags = FlagsOf<'tasks list'> & FlagsOf<'tasks output'>;

/** `cadre tasks`: background work of a session, including one that another process has open. */
export async function manageTasks(
  action: TasksAction,
  [id = '']: readonly string[],
  flags: TasksFlags,
): Promise<Result<string>> {
  const io = processIo();
  const around = lookAround({});
  if (action === 'list') return list(around, flags);
  if (action === 'follow') return followTasks(io, around, id, flags);
  const found = await findTask(around, id, flags);
  if (!found.ok) return found;
  if (action === 'show') return ok(await show(found.value, around, flags));
  if (action === 'output') return output(io, found.value, flags);
  const stopped = await stopTask(around, found.value);
  if (!stopped.ok) return stopped;
  return ok(flags.json ? formatJson(stopped.value) : `${stopped.value.message}\n`);
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
      ? formatJson(found.flatMap(({ tasks }) => tasks.map(asData)))
      : renderList(found, around.clock.now()),
  );
}

async function show(found: FoundTask, around: Surroundings, flags: TasksFlags): Promise<string> {
  const details = await readDetails(found);
  if (!flags.json) return renderTask(details, around.clock.now());
  const { activities, transcript, tokens } = details;
  return formatJson({ ...asData(found), activities, transcript, tokens });
}

async function readDetails(found: FoundTask): Promise<TaskDetails> {
  const { session, task } = found;
  if (!task.agent) return { ...found, activities: [] };
  const transcript = createSessionLayout(session.projectDirectory, session.id).agentTranscript(task.id);
  const known = task.agent.progress?.activities ?? [];
  const activities = isUnderWay(task) || known.length === 0 ? lastActivities(transcript) : known;
  const tokens = await countAgentTokens(session.path, task.id);
  return { ...found, activities, transcript: existsSync(transcript) ? transcript : undefined, tokens };
}

const maxCharacters = 30_000;

async function output(io: Io, { task }: FoundTask, flags: TasksFlags): Promise<Result<string>> {
  const lost = task.kind === 'local_bash' ? describeLostOutput(task.outputFile) : undefined;
  if (lost !== undefined) io.writeErr(`cadre: task ${task.id}: ${lost}\n`);
  if (flags.full && !flags.json) return copyOutput(io, task.outputFile);
  const limit = flags.full ? Number.MAX_SAFE_INTEGER / 8 : maxCharacters;
  const { text, size, isWhole } = readBounded(task.outputFile, limit);
  if (flags.json)
    return ok(
      formatJson({
        taskId: task.id,
        status: task.status,
        output: text,
        totalBytes: size,
        truncated: !isWhole,
      }),
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

const maxActivities = 5;
const tailBytes = 256 * 1024;

/** An agent's last actions, from the end of its transcript: the process that runs it writes them nowhere else. */
function lastActivities(transcript: string): string[] {
  const tail = readJsonlTail(transcript, () => false, tailBytes);
  if (!tail.ok) return [];
  return tail.value.records
    .flatMap((found) => {
      const checked = checkRecord(found);
      return checked.kind === 'good' && checked.record.type === 'assistant' ? [checked.record] : [];
    })
    .flatMap(listActivities)
    .slice(-maxActivities);
}

function listActivities({ message }: AssistantRecord): string[] {
  return message.content.flatMap((block) =>
    block.type === 'tool_use' ? [visibleLine(`${block.name} ${JSON.stringify(block.input)}`, 160)] : [],
  );
}
