import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentKernel } from '../../agents/kernel.ts';
import { memoryDisk } from '../../lib/files/memory-disk.ts';
import { describeUnread, readBounded } from '../../lib/files/read-bounded.ts';
import type { Machine } from '../../lib/machine.ts';
import { fail, failure, formatError, ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { TaskHandle } from '../../protocol/index.ts';
import { chooseScript, type FoundScripts } from '../../workflows/find-scripts.ts';
import { openRun } from '../../workflows/open-run.ts';
import { prepareBuiltInProgram, prepareScript, type RunnableProgram } from '../../workflows/program.ts';
import { locateRuns, readJournal } from '../../workflows/read-journal.ts';
import { checkArgs, readScript, type WorkflowScript } from '../../workflows/read-script.ts';
import { RecordedCalls } from '../../workflows/recorded-calls.ts';
import type { WorkflowRun } from '../../workflows/run.ts';
import type { RunEnd } from '../../workflows/run-types.ts';
import type { Kernel } from '../kernel.ts';
import type { Models } from '../models.ts';
import type { CallConditions } from './call-step.ts';
import { builtInPrograms } from './programs.ts';
import { RunReporter } from './run-reporter.ts';
import { runTask } from './run-task.ts';
import { SessionCalls } from './session-calls.ts';
import { askUser, confirmForecast } from './workflow-questions.ts';
import { readLimits } from './workflow-settings.ts';

export interface WorkflowWish {
  /** A workflow's name, or that of a program that is built in. */
  name?: string | undefined;
  /** A script by its path: the user names it, so it needs no trust. */
  file?: string | undefined;
  args?: unknown;
  /** Arguments as the user typed them, where there is no JSON. */
  argsText?: string | undefined;
  resume?: string | undefined;
  rerunDiverged?: boolean | undefined;
  yes?: boolean | undefined;
  description?: string | undefined;
  owner: string | null;
  toolUseId?: string | undefined;
}

export interface StartParts {
  kernel: Kernel;
  agents: AgentKernel;
  models: Models;
  conditions: Map<string, CallConditions>;
  runs: LiveRuns;
  list(): Promise<FoundScripts>;
}

/** The runs of this session, by the ids of their tasks. */
export type LiveRuns = Map<string, { run: WorkflowRun; ended: Promise<RunEnd> }>;

/** Opens a run and starts it as a task. Everything that is wrong with the request is said before anything starts. */
export async function startWorkflow(parts: StartParts, wish: WorkflowWish): Promise<Result<TaskHandle>> {
  const { kernel, agents, models, conditions, runs } = parts;
  const { place, tasks, id: sessionId } = kernel;
  const program = await findProgram(parts, wish);
  if (!program.ok) return program;
  const limits = readLimits(kernel);
  const taskId = `w${place.ids.token(12)}`;
  const { record } = program.value;
  const reporter = new RunReporter(kernel, taskId, record);
  const calls = new SessionCalls(kernel, agents, models, conditions);
  const { maxBudgetUsd, maxTokens } = models.caps;
  const opened = await openRun({
    ...{ runs: locateRuns(place.home), machine: chooseMachine(kernel), clock: place.outside.clock },
    ...{ sessionId, cwd: place.cwd, program: record, resume: wish.resume, limits },
    budget: { maxBudgetUsd, maxTokens },
    runner: calls.openRunner(taskId),
    rerunsDiverged: wish.rerunDiverged,
    confirm: async (forecast) =>
      wish.yes ? undefined : confirmForecast(parts, taskId, record.name, forecast),
    ask: (question, signal) => askUser(parts, taskId, record.name, question, signal),
    note: (change) => reporter.note(change),
  });
  if (!opened.ok) return opened;
  const run = opened.value;
  reporter.attach(run);
  const ended = Promise.withResolvers<RunEnd>();
  runs.set(taskId, { run, ended: ended.promise });
  const handle = tasks.spawn({
    ...{ kind: 'local_workflow', id: taskId, owner: wish.owner, background: true },
    description: visibleLine(wish.description ?? record.name, 200),
    ...(wish.toolUseId === undefined ? {} : { toolUseId: wish.toolUseId }),
    run: (task) =>
      runTask({ kernel, run, program: program.value, reporter, limits, maxTokens }, task, ended.resolve),
  });
  return ok(handle);
}

/** A session that stores nothing has runs that cannot be resumed. */
function chooseMachine({ options, place }: Kernel): Machine {
  return options.persist === false ? { ...place.machine, disk: memoryDisk() } : place.machine;
}

/** What a wish means: a program that is built in, a script by name or file, or what a run was started with. */
async function findProgram(parts: StartParts, wish: WorkflowWish): Promise<Result<RunnableProgram>> {
  if (wish.resume !== undefined) return findResumed(parts, wish, wish.resume);
  const { name, file } = wish;
  if (file !== undefined && /\.(?:json|ya?ml)$/i.test(file)) return findPattern(parts.kernel, file, wish);
  if (file !== undefined) {
    const script = readScriptFile(resolve(parts.kernel.place.cwd, file));
    return script.ok ? scriptProgram(script.value, wish) : script;
  }
  if (name === undefined) return usage('name: expected the name of a workflow.');
  const builtIn = await openNamedProgram(parts.kernel, name, wish.args ?? wish.argsText);
  if (builtIn) return builtIn;
  const script = chooseScript(await parts.list(), name);
  return script.ok ? scriptProgram(script.value, wish) : script;
}

/** Undefined if no program has that name. */
async function openNamedProgram(
  kernel: Kernel,
  name: string,
  args: unknown,
): Promise<Result<RunnableProgram> | undefined> {
  const named = Object.hasOwn(builtInPrograms, name) ? builtInPrograms[name] : undefined;
  if (!named) return undefined;
  const program = await named.open(kernel);
  const checked = await program.check?.(args);
  return checked?.ok === false ? checked : ok(prepareBuiltInProgram(program, args));
}

/** A pattern of hand-offs from a file of data. The run keeps its text. */
async function findPattern(
  kernel: Kernel,
  file: string,
  { args, argsText }: WorkflowWish,
): Promise<Result<RunnableProgram>> {
  const path = resolve(kernel.place.cwd, file);
  const read = readBounded(path, maxScriptBytes);
  if (read.state === 'missing') return usage(`${file}: no such file.`);
  if (read.state !== 'read') return fail(describeUnread(read, path, maxScriptBytes));
  const given = { task: args ?? argsText, file, source: read.bytes.toString('utf8') };
  return (await openNamedProgram(kernel, 'pattern', given)) ?? usage(`${file}: not a pattern.`);
}

function scriptProgram(script: WorkflowScript, { args, argsText }: WorkflowWish): Result<RunnableProgram> {
  const given = args === undefined && argsText !== undefined ? readTyped(script, argsText) : ok(args);
  if (!given.ok) return given;
  const checked = checkArgs(script, given.value);
  return checked.ok ? ok(prepareScript(script, checked.value)) : checked;
}

/** Text for a script that takes text or says nothing; otherwise JSON. */
function readTyped({ meta }: WorkflowScript, typed: string): Result<unknown> {
  const text = typed.trim();
  if (text === '') return ok(undefined);
  const takesText = meta.args === undefined || meta.args.type === 'string';
  if (takesText && !/^[[{]/.test(text)) return ok(text);
  try {
    return ok(JSON.parse(text));
  } catch {
    return usage(
      `The arguments of workflow ${meta.name} are not JSON: ${visibleLine(text, 100)}`,
      `Expected: ${JSON.stringify(meta.args).slice(0, 500)}`,
    );
  }
}

/**
 * The script as it is now, if its file can still be read and may run: an edited script continues its run. Otherwise the text that
 * the journal kept.
 */
async function findResumed(
  { kernel, list }: StartParts,
  wish: WorkflowWish,
  runId: string,
): Promise<Result<RunnableProgram>> {
  const { place } = kernel;
  const recorded = await readJournal(locateRuns(place.home), runId, place.machine.disk);
  if (!recorded.ok) return recorded;
  const { program } = new RecordedCalls(recorded.value);
  if (!program) return failure(`Run ${runId} has no program in its journal.`);
  const args = wish.args ?? program.args;
  if (program.kind === 'built-in') {
    const builtIn = await openNamedProgram(kernel, program.name, args);
    return builtIn ?? usage(`This version has no program ${program.name}.`);
  }
  const { path = '', source = '' } = program;
  const named = (await list()).scripts.find(({ file, isTrusted }) => file === path && isTrusted);
  const script = named ? ok(named) : readNamedOrKept(wish.file, path, source, place.cwd);
  return script.ok ? scriptProgram(script.value, { ...wish, args, argsText: undefined }) : script;
}

function readNamedOrKept(
  given: string | undefined,
  path: string,
  source: string,
  cwd: string,
): Result<WorkflowScript> {
  if (given !== undefined) return readScriptFile(resolve(cwd, given));
  return readScript(path, source);
}

const maxScriptBytes = 1024 * 1024;

function readScriptFile(path: string): Result<WorkflowScript> {
  try {
    const status = statSync(path);
    if (!status.isFile() || status.size > maxScriptBytes)
      return usage(`${path}: expected a file of at most 1 MB.`);
    return readScript(path, readFileSync(path, 'utf8'));
  } catch (error) {
    return usage(`${path} cannot be read: ${formatError(error)}.`);
  }
}
