import { resolve } from 'node:path';
import type { AgentKernel } from '../../agents/kernel.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { memoryDisk } from '../../lib/files/memory-disk.ts';
import type { Machine } from '../../lib/machine.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { TaskHandle } from '../../protocol/index.ts';
import { holdsEverything } from '../../settings/trust/describe.ts';
import { pieceFile } from '../../settings/trust.ts';
import { chooseScript, type FoundScripts } from '../../workflows/find-scripts.ts';
import { openRun } from '../../workflows/open-run.ts';
import { prepareBuiltInProgram, prepareScript, type RunnableProgram } from '../../workflows/program.ts';
import { locateRuns, type RecordedRun, readJournal } from '../../workflows/read-journal.ts';
import { checkArgs, readScript, type WorkflowScript } from '../../workflows/read-script.ts';
import { RecordedCalls } from '../../workflows/recorded-calls.ts';
import type { WorkflowRun } from '../../workflows/run.ts';
import type { RunEnd } from '../../workflows/run-types.ts';
import { readSmallText } from '../../workspace/find-markdown.ts';
import { isWithin } from '../../workspace/paths.ts';
import { resolveOwnPath, resolveRealPath } from '../../workspace/real-path.ts';
import type { Kernel } from '../kernel.ts';
import type { Models } from '../models.ts';
import { isDirectory } from '../surroundings.ts';
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
  /** A script or pattern by its path. One in this repository needs trust. */
  file?: string | undefined;
  /** With `resume`: the script's text from now on. The caller vouches for it. */
  source?: string | undefined;
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
    const script = await findScriptFile(parts, file);
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
  const read = readProgramFile(kernel, file);
  if (!read.ok) return read;
  const { path, text: source } = read.value;
  const given = { task: args ?? argsText, file, path, source };
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

/** The user's own workflows need no trust, also where the home directory is the place of work. */
async function findScriptFile({ kernel, list }: StartParts, file: string): Promise<Result<WorkflowScript>> {
  const own = findTrusted(await list(), resolve(kernel.place.cwd, file));
  if (own) return ok(own);
  const read = readProgramFile(kernel, file);
  return read.ok ? readScript(read.value.path, read.value.text) : read;
}

function findTrusted({ scripts }: FoundScripts, path: string): WorkflowScript | undefined {
  return scripts.find(({ file, isTrusted }) => file === path && isTrusted);
}

/**
 * The script as it is now, if its file can still be read and may run: an edited script continues its run. Otherwise the text that
 * the journal kept, which needs the same trust.
 */
async function findResumed(
  parts: StartParts,
  wish: WorkflowWish,
  runId: string,
): Promise<Result<RunnableProgram>> {
  const { kernel } = parts;
  const recorded = await readJournal(locateRuns(kernel.place.home), runId, kernel.place.machine.disk);
  if (!recorded.ok) return recorded;
  await warnOfDamage(kernel, runId);
  warnOfDirectory(kernel, runId, recorded.value);
  const { program } = new RecordedCalls(recorded.value);
  if (!program) return failure(`Run ${runId} has no program in its journal.`);
  const args = wish.args ?? program.args;
  if (program.kind === 'built-in') {
    const pattern = isRecord(args) ? args : {};
    const { path, source: text } = pattern;
    const trusted =
      typeof path === 'string' && typeof text === 'string'
        ? checkTrust(kernel, { path, text })
        : ok(undefined);
    if (!trusted.ok) return trusted;
    const builtIn = await openNamedProgram(kernel, program.name, args);
    return builtIn ?? usage(`This version has no program ${program.name}.`);
  }
  const { path = '', source = '' } = program;
  const script =
    wish.source === undefined
      ? await findResumedScript(parts, wish.file, { path, text: source })
      : readScript(path, wish.source);
  return script.ok ? scriptProgram(script.value, { ...wish, args, argsText: undefined }) : script;
}

/** A damaged record is passed over and a changed one is used: who resumes the run should know. */
async function warnOfDamage({ place, events }: Kernel, runId: string): Promise<void> {
  const [{ locateJournalChain }, { verifyRun }] = await Promise.all([
    import('../../receipts/locate-run.ts'),
    import('../../receipts/verify-run.ts'),
  ]);
  const { files } = await verifyRun(locateJournalChain(place.home, runId), place.machine.disk);
  const faults = files.flatMap((file) => file.faults);
  if (faults.length === 0) return;
  events.warn(
    `The journal of run ${runId} is not as it was written: ${faults[0]} Calls whose records are damaged run again.`,
  );
}

/** `cadre run --resume` continues a run where it was started; a session cannot leave its own directory. */
function warnOfDirectory({ place, events }: Kernel, runId: string, { records }: RecordedRun): void {
  const cwd = records.findLast((record) => record.type === 'opened')?.cwd;
  if (cwd === undefined || resolveRealPath(cwd) === resolveRealPath(place.cwd) || !isDirectory(cwd)) return;
  const [there, here] = [visibleLine(cwd, 300), visibleLine(place.cwd, 300)];
  events.warn(`Run ${runId} was started in ${there}. From now on its agents work in ${here}.`);
}

async function findResumedScript(
  parts: StartParts,
  given: string | undefined,
  kept: ProgramFile,
): Promise<Result<WorkflowScript>> {
  if (given !== undefined) return findScriptFile(parts, given);
  const named = findTrusted(await parts.list(), kept.path);
  if (named) return ok(named);
  const now = readProgramFile(parts.kernel, kept.path);
  if (now.ok) return readScript(now.value.path, now.value.text);
  const trusted = checkTrust(parts.kernel, kept);
  return trusted.ok ? readScript(kept.path, kept.text) : trusted;
}

const maxBytes = 1024 * 1024;

interface ProgramFile {
  path: string;
  text: string;
}

/** A script or a pattern by its path: read where it really is, and refused if that is in this repository and not trusted. */
function readProgramFile(kernel: Kernel, given: string): Result<ProgramFile> {
  const path = resolve(kernel.place.cwd, given);
  const read = readSmallText(resolveOwnPath(path), maxBytes);
  return read.ok ? checkTrust(kernel, { path, text: read.value }) : usage(`${given}: ${read.problem}.`);
}

/**
 * What a checkout brings runs only after a review, however it is named: a name that is typed is not a file that was read. A file
 * elsewhere is the user's.
 */
function checkTrust({ place, trust }: Kernel, file: ProgramFile): Result<ProgramFile> {
  const root = resolveRealPath(place.root);
  const real = resolveOwnPath(file.path);
  // Where the session was started above everything, no file is a repository's.
  if (!isWithin(real, root) || holdsEverything(root, resolveRealPath(place.userHome))) return ok(file);
  const name = pieceFile(root, real);
  if (trust.isTrusted({ kind: 'workflow', file: name, content: file.text })) return ok(file);
  return usage(
    `${file.path} comes from this repository and is not trusted.`,
    isListed(name)
      ? 'Review it with `cadre trust`.'
      : 'Read it, then move it to .cadre/workflows and review it with `cadre trust`, or start this run with --trust.',
  );
}

/** Whether `cadre trust` shows a file: it looks in the folders of workflows only. */
function isListed(name: string): boolean {
  return /(?:^|\/)\.(?:cadre|claude)\/workflows\//.test(name);
}
