import { isUtf8 } from 'node:buffer';
import { labelled } from '../knowledge/label.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import { ok, type Problem, type Result, usage } from '../lib/result.ts';
import { formatTime } from '../lib/text/duration.ts';
import { type AgentEvent, inputMark, noUsage, type Outcome, type TextBlock } from '../protocol/index.ts';
import { openSession } from '../session/open.ts';
import type { SessionOptions } from '../session/options.ts';
import { failedOutcome } from '../session/run-facts.ts';
import type { Session } from '../session/session.ts';
import { lookAround } from '../session/surroundings.ts';
import { chooseWhole } from '../session/whole-outcome.ts';
import { describeUnlanded } from '../session/worktrees/unlanded.ts';
import { complain } from './complain.ts';
import { finishWork, type WaitOptions } from './finish-work.ts';
import { type Io, type LineTerminal, unreadableInput } from './io.ts';
import { createOutput, type Output, type OutputFormat } from './output.ts';

export interface HeadlessRequest {
  session: SessionOptions;
  prompt?: string;
  inputFormat: 'text' | 'stream-json';
  outputFormat: OutputFormat;
  /** `-p` was given: a limit that resets later ends the run. */
  print?: boolean;
  includePartialMessages: boolean;
  replayUserMessages: boolean;
  includeHookEvents: boolean;
  /** For agents also their thinking and text, not only their tool calls. */
  forwardSubagentText: boolean;
  /** Print on stderr when agents start and end, even if that is not a terminal. */
  verbose: boolean;
  /** Print on stderr what is going on. */
  debug: boolean;
  /** True when the host answers `can_use_tool`. */
  hostAnswers: boolean;
  /** False if no questions are to be asked, not even at a terminal. */
  terminalAnswers?: boolean;
  clock: Clock;
}

/** How a run is ended from outside: the first interrupt ends the turn, the second everything. */
export interface Interrupts {
  attach(session: Session): void;
  /** Like the interrupt key. */
  interrupt(): void;
  /** 130 after an interrupt, 143 after a termination, else undefined. */
  exitCode(): number | undefined;
  /** Fires at the first of them. */
  readonly signal?: AbortSignal;
  /** Fires when the session is closed from outside: nothing more is read. */
  readonly ending?: AbortSignal;
}

/** Stdin may add to a prompt, but a long document belongs in a file. */
const inputLimit = 10 * 1024 * 1024;
/** A pipe without a writer must not hang a run that already has its prompt. */
const firstByteMs = 3_000;
/** Nor one whose prompt should come from it: its writer may be slow, but a script must not wait forever. */
const promptMs = 60_000;

/** `cadre -p "…"`: one prompt, one answer. */
export async function runPrompt(request: HeadlessRequest, io: Io, interrupts: Interrupts): Promise<number> {
  const prompt = await readPrompt(request, io);
  if (!prompt.ok) return complain(io, prompt.problem);
  const terminal = chooseTerminal(request, io);
  const opened = await openSession({
    ...request.session,
    streamAgents: streamsAgents(request),
    ...(terminal ? { attended: true, interactive: true } : {}),
    oneShot: true,
  });
  if (!opened.ok) return complain(io, opened.problem);
  const session = opened.value;
  interrupts.attach(session);
  const questions = terminal ? await attend(session, terminal, interrupts) : undefined;
  const output = createOutput(request.outputFormat, session.info(), request, io, (text) =>
    session.hide(text),
  );
  const events = session.events(() => {
    void complain(io, unreadOutput);
    void session.close();
  });
  const presented = present(events, output);
  const hasPrompt = prompt.value.length > 0;
  if (!session.continueSuspended() && !hasPrompt && request.session.replay === undefined) {
    await session.close();
    return complain(io, nothingToContinue);
  }
  if (request.session.replay !== undefined && !hasPrompt) await playRecorded(session);
  if (hasPrompt) session.send({ type: 'prompt', content: prompt.value });
  const unfinished = await finishWork(session, waitOptions(request, io, interrupts));
  const closed = await session.close();
  await questions?.stop();
  const { outcomes, isAnswered } = await presented;
  const { loss } = session;
  const left = describeLeft(loss, unfinished, session, request.clock);
  const outcome = await endUnfinished(chooseWhole(outcomes), left, session, output);
  const delivered = await output.finish();
  if (!closed.ok && closed.problem.message === outcome?.reason) return 1;
  if (!closed.ok) return complain(io, closed.problem);
  if (loss) return 1;
  const suspension = findSuspension(outcome, session);
  const code =
    interrupts.exitCode() ?? (suspension ? suspendedCode : chooseExitCode(outcome, delivered, isAnswered));
  if (code === suspendedCode && suspension) io.writeErr(adviseToContinue(suspension, session, request.clock));
  await tellUnlanded(request, session, io);
  return code;
}

/** For a reader, who would not know that the work is not in the checkout. A program finds the worktrees in its frames. */
async function tellUnlanded(
  { outputFormat, session: options }: HeadlessRequest,
  { id }: Session,
  io: Io,
): Promise<void> {
  if (outputFormat === 'stream-json' || options.replay !== undefined) return;
  const text = await describeUnlanded(lookAround(options).home, id);
  if (text !== '') io.writeErr(`cadre: ${text}`);
}

/** The user is asked if they can see the question and the mode is one that asks. */
function chooseTerminal(
  { session, terminalAnswers }: HeadlessRequest,
  { terminal }: Io,
): LineTerminal | undefined {
  const asks = session.permissionMode !== 'dontAsk' && session.permissionMode !== 'bypassPermissions';
  return asks && terminalAnswers !== false && session.replay === undefined ? terminal : undefined;
}

async function attend(session: Session, terminal: LineTerminal, interrupts: Interrupts) {
  const { TerminalQuestions } = await import('./terminal-questions.ts');
  return new TerminalQuestions(session, terminal, () => interrupts.interrupt());
}

/** Gives a tape's own commands to the session, in order; a prompt waits for the run before it. */
async function playRecorded(session: Session): Promise<void> {
  for (const command of session.recorded()) {
    if (command.type === 'prompt') await session.settled();
    if (!session.send(command).ok) return;
  }
}

/** A run ended by a limit can be continued later: `EX_TEMPFAIL`. */
export const suspendedCode = 75;

/**
 * An unknown model is a mistake in the command line or the settings, found before any token was spent. One that is gone after an
 * answer is a failure: calls of that answer have run.
 */
function chooseExitCode(outcome: Outcome | undefined, delivered: boolean, isAnswered: boolean): number {
  if (outcome?.failure?.kind === 'model_not_found' && !isAnswered) return 2;
  if (outcome?.failure?.kind === 'rate_limited') return suspendedCode;
  if (outcome?.kind === 'unfinished') return unfinishedCode;
  return delivered && outcome?.kind === 'completed' ? 0 : 1;
}

/** Until when work of this run is suspended that it did not wait for: the lead's own, or that of an agent. */
export function findSuspension(outcome: Outcome | undefined, session: Session): number | undefined {
  const { resetsAt } = outcome?.failure ?? {};
  const agents = session.tasks().flatMap(({ suspended }) => suspended?.until ?? []);
  return resetsAt ?? (agents.length > 0 ? Math.max(...agents) : undefined);
}

/** How a run ended whose lead completed, and which ends while agents of it are suspended. */
function describeSuspendedAgents(session: Session, clock: Clock): Outcome | undefined {
  const waiting = session.tasks().filter(({ suspended }) => suspended !== undefined);
  if (waiting.length === 0) return undefined;
  const resetsAt = Math.max(...waiting.map(({ suspended }) => suspended?.until ?? 0));
  const which = waiting.length === 1 ? 'An agent is' : `${waiting.length} agents are`;
  const reason = `${which} suspended until ${formatTime(resetsAt, clock.now())}. Continue then with cadre -p -c.`;
  return {
    kind: 'interrupted',
    ...{ text: '', reason, turns: 0, usage: noUsage },
    failure: { kind: 'rate_limited', message: reason, resetsAt },
  };
}

/** Why a run whose lead completed is not complete. */
export function describeLeft(
  loss: Problem | undefined,
  unfinished: Outcome | undefined,
  session: Session,
  clock: Clock,
): Outcome | undefined {
  return loss ? failedOutcome(loss) : (unfinished ?? describeSuspendedAgents(session, clock));
}

function adviseToContinue(until: number, session: Session, clock: Clock): string {
  const { transcriptPath } = session.info();
  if (transcriptPath === null) return '';
  return `cadre: suspended; continue after ${formatTime(until, clock.now())} with: cadre -p --resume ${session.id}\n`;
}

const nothingToContinue: Problem = {
  kind: 'usage',
  message: 'No prompt was given, and this session has no suspended work to continue.',
  hint: 'Give a prompt: cadre -p -c "go on".',
};

/** As of `timeout`: the work was still running when its time was over. */
export const unfinishedCode = 124;

/** How the whole run ended: without some of its agents, if the lead itself completed or did not run. The last result says so. */
export async function endUnfinished(
  outcome: Outcome | undefined,
  unfinished: Outcome | undefined,
  session: Session,
  output: Output,
): Promise<Outcome | undefined> {
  if (!unfinished || (outcome && outcome.kind !== 'completed')) return outcome;
  const ended = { type: 'run_ended', outcome: unfinished, durationMs: 0, modelMs: 0 } as const;
  await output.accept({ agentId: null, parentToolUseId: null, prompts: [], cost: session.cost(), ...ended });
  return unfinished;
}

/** Memory is bounded: what waits for the reader cannot grow for ever. */
export const unreadOutput: Problem = {
  kind: 'failure',
  message:
    'The session was ended: more than 64 MB of output is waiting, and the program that reads stdout has stopped reading.',
  hint: 'Read stdout while the session runs. The transcript is complete up to this point; continue with cadre --resume.',
};

export interface Presented {
  /** Of the lead's runs, in their order. */
  outcomes: Outcome[];
  /** A model has answered, so that calls may have run. */
  isAnswered: boolean;
}

/** Copies every event to the output, until the session is closed. */
export async function present(events: AsyncIterable<AgentEvent>, output: Output): Promise<Presented> {
  const presented: Presented = { outcomes: [], isAnswered: false };
  for await (const event of events) {
    if (event.type === 'run_ended' && event.agentId === null) presented.outcomes.push(event.outcome);
    if (event.type === 'message_added' && event.record.type === 'assistant') presented.isAnswered = true;
    await output.accept(event);
  }
  return presented;
}

/** Streamed pieces of agents are made only if they are wanted. */
export function streamsAgents(
  request: Pick<HeadlessRequest, 'includePartialMessages' | 'forwardSubagentText'>,
): boolean {
  return request.includePartialMessages && request.forwardSubagentText;
}

export function waitOptions({ clock }: HeadlessRequest, io: Io, { signal }: Interrupts): WaitOptions {
  return { clock, io, interrupted: signal };
}

/** With a prompt, piped input is data for it; without one it is the prompt. */
async function readPrompt(request: HeadlessRequest, io: Io): Promise<Result<TextBlock[]>> {
  const piped =
    io.inputKind === 'pipe' || io.inputKind === 'file'
      ? await readInput(request, io).catch(unreadableInput)
      : ok('');
  if (!piped.ok) return piped;
  const [text, ...data] = [request.prompt ?? '', piped.value].filter((part) => part.trim() !== '');
  const { replay, resume } = request.session;
  // A tape has its prompts, and suspended work needs none.
  if (text === undefined && (replay !== undefined || resume !== undefined)) return ok([]);
  if (text === undefined)
    return usage('No prompt was given.', 'Give one: cadre -p "why does the build fail?", or pipe it in.');
  const added = data.map((input) => `${inputMark}\n\n${labelled('piped-input', {}, input)}`);
  return ok([text, ...added].map((one) => ({ type: 'text', text: one })));
}

async function readInput(request: HeadlessRequest, io: Io): Promise<Result<string>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = io.input[Symbol.asyncIterator]();
  for (let first = true; ; first = false) {
    const step = first ? await readFirst(reader, request, io) : await reader.next();
    if (step === 'nothing') return ok('');
    if (step === 'silent') return silentInput;
    if (step.done) break;
    chunks.push(step.value);
    size += step.value.length;
    if (size > inputLimit)
      return usage(
        `stdin is larger than ${inputLimit / 1024 / 1024} MB.`,
        'Write it to a file and name the file in the prompt.',
      );
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) io.writeErr('cadre: stdin is not UTF-8; U+FFFD stands for what is none.\n');
  return ok(bytes.toString());
}

/** `nothing`: the run continues without input. `silent`: there is no prompt either. */
async function readFirst(
  reader: AsyncIterator<Uint8Array>,
  { prompt, clock, session }: HeadlessRequest,
  io: Io,
): Promise<IteratorResult<Uint8Array> | 'nothing' | 'silent'> {
  const next = reader.next();
  const early = await within(next, firstByteMs, clock);
  if (early !== 'late') return early;
  const wait = `no input on stdin for ${firstByteMs / 1000} s`;
  if (prompt !== undefined || session.resume !== undefined) {
    io.writeErr(`cadre: ${wait}; continuing without it (use < /dev/null to avoid the wait).\n`);
    return 'nothing';
  }
  io.writeErr(`cadre: ${wait}; waiting ${promptMs / 1000} s for a prompt.\n`);
  const step = await within(next, promptMs - firstByteMs, clock);
  return step === 'late' ? 'silent' : step;
}

const silentInput = usage(
  `No prompt was given: nothing arrived on stdin for ${promptMs / 1000} s.`,
  'Give one: cadre -p "why does the build fail?", or write the slow output to a file first.',
);

async function within<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T | 'late'> {
  const waited = new AbortController();
  const timer = sleep(clock, ms, waited.signal).then(() => 'late' as const);
  const first = await Promise.race([work, timer]);
  waited.abort();
  return first;
}
