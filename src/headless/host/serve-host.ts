import { randomIds } from '../../lib/ids.ts';
import { ok, type Problem, type Result, usage } from '../../lib/result.ts';
import type { AgentEvent, Outcome } from '../../protocol/index.ts';
import { openSession } from '../../session/open.ts';
import { failedOutcome } from '../../session/run-facts.ts';
import type { Session } from '../../session/session.ts';
import { complain } from '../complain.ts';
import { finishWork } from '../finish-work.ts';
import { type Io, unreadableInput, writeFrame } from '../io.ts';
import { createOutput, type Output } from '../output.ts';
import { type InputLine, readLines } from '../read-lines.ts';
import {
  describeLeft,
  endUnfinished,
  findSuspension,
  type HeadlessRequest,
  type Interrupts,
  type Presented,
  present,
  streamsAgents,
  suspendedCode,
  unfinishedCode,
  unreadOutput,
  waitOptions,
} from '../run-prompt.ts';
import { type ControlRefusal, handleControl } from './control.ts';
import { HostCalls } from './host-calls.ts';
import { HostHooks } from './host-hooks.ts';
import { HostQuestions } from './host-questions.ts';
import { type HostOptions, initializeResponse, readHostOptions } from './initialize.ts';
import { handleMcp, isMcpRequest } from './mcp-control.ts';
import { rewindFiles } from './rewind-control.ts';
import { type ControlRequest, type HostMessage, parseHostMessage } from './wire.ts';

/**
 * `--input-format stream-json`: a program at the other end drives the session line by line until it closes its side.
 */
export async function serveHost(request: HeadlessRequest, io: Io, interrupts: Interrupts): Promise<number> {
  const host = new Host(request, io, interrupts);
  const lines = readLines(() => io.input);
  for (;;) {
    const next = await host.untilOver(lines.next());
    if (next === 'overrun') return host.fail(unreadOutput);
    if (next === 'over' || next.done) return host.finish();
    const line = next.value;
    const message = 'text' in line ? parseHostMessage(line.text, line.number) : refuseLine(line);
    const taken = message.ok ? await host.take(message.value) : message;
    if (!taken.ok) return host.fail(taken.problem);
  }
}

function refuseLine(line: Exclude<InputLine, { text: string }>): Result<never> {
  if ('failed' in line) return unreadableInput(line.failed);
  return usage(
    `stdin, line ${line.number}: longer than 32 MB.`,
    'Write large content to files and name them in the prompt.',
  );
}

/** A question that an MCP server asks, or its end. Hosts answer these whatever they say about calls. */
function isOfServer(event: AgentEvent): boolean {
  if (event.type === 'question_asked') return event.question.elicitation !== undefined;
  return event.type === 'question_answered';
}

/** One open session together with what carries its events to the host. */
interface Line {
  session: Session;
  questions: HostQuestions;
  output: Output;
  presented: Promise<Presented>;
}

class Host {
  /** Why nothing more is read from the host: it does not read, or the session is closed or lost. */
  #over: 'overrun' | 'over' | undefined;
  #isLastRefused = false;
  /** The request that opened the session. */
  #initialized: string | undefined;
  #tellOver = (): void => {};
  #line: Line | undefined;
  readonly #calls: HostCalls;
  readonly #hooks: HostHooks;

  constructor(
    private readonly request: HeadlessRequest,
    private readonly io: Io,
    private readonly interrupts: Interrupts,
  ) {
    this.#calls = new HostCalls(io, randomIds);
    this.#hooks = new HostHooks(io, randomIds);
    interrupts.ending?.addEventListener('abort', () => this.#end('over'), { once: true });
  }

  /** The result, unless the host is given up first. */
  untilOver<T>(work: Promise<T>): Promise<T | 'overrun' | 'over'> {
    return new Promise((resolve, reject) => {
      this.#tellOver = () => {
        if (this.#over) resolve(this.#over);
      };
      this.#tellOver();
      work.then(resolve, reject);
    });
  }

  #end(how: 'overrun' | 'over'): void {
    this.#over ??= how;
    this.#tellOver();
  }

  async take(message: HostMessage): Promise<Result<void>> {
    switch (message.type) {
      case 'user':
        return this.#prompt(message);
      case 'refused':
        return this.#refusePrompt(message.problem);
      case 'control_request':
        return this.#control(message);
      case 'control_response':
        if (!this.#hooks.answer(message) && !this.#line?.questions.answer(message))
          this.#calls.answer(message);
        return ok(undefined);
      default:
        return ok(undefined);
    }
  }

  async finish(): Promise<number> {
    if (!this.#line) return 0;
    const { session, presented, output } = this.#line;
    session.leave('The host closed the connection before answering.');
    this.#calls.leave();
    this.#hooks.leave();
    const unfinished = await finishWork(session, waitOptions(this.request, this.io, this.interrupts));
    await session.close();
    const { outcomes } = await presented;
    const left = describeLeft(session.loss, unfinished, session, this.request.clock);
    const outcome = await endUnfinished(outcomes.at(-1), left, session, output);
    return this.interrupts.exitCode() ?? this.#chooseCode(outcome, session);
  }

  /** As of the last prompt: each one had its own result. */
  #chooseCode(outcome: Outcome | undefined, session: Session): number {
    if (session.loss) return 1;
    if (outcome?.kind === 'unfinished') return unfinishedCode;
    if (findSuspension(outcome, session) !== undefined) return suspendedCode;
    const failed = outcome !== undefined && outcome.kind !== 'completed' && outcome.kind !== 'interrupted';
    return failed || this.#isLastRefused ? 1 : 0;
  }

  async fail(problem: Problem): Promise<number> {
    await this.#line?.session.close();
    return complain(this.io, problem);
  }

  async #prompt(message: Extract<HostMessage, { type: 'user' }>): Promise<Result<void>> {
    const line = await this.#open({ session: {} });
    if (!line.ok) return line;
    this.#isLastRefused = false;
    const { content, uuid, priority, isVerbatim, isQuiet } = message;
    const delivery = priority === 'now' || priority === 'next' ? 'steer' : 'queue';
    const marks = { isVerbatim: isVerbatim || undefined, isQuiet: isQuiet || undefined };
    return line.value.session.send({ type: 'prompt', content, delivery, uuid: uuid || undefined, ...marks });
  }

  /** Answered like a run that failed: a host waits for one result per prompt. */
  async #refusePrompt(problem: Problem): Promise<Result<void>> {
    const line = await this.#open({ session: {} });
    if (!line.ok) return line;
    const outcome = failedOutcome(problem);
    const ended = { type: 'run_ended', outcome, durationMs: 0, modelMs: 0 } as const;
    await line.value.output.accept({ agentId: null, parentToolUseId: null, prompts: [], ...ended });
    this.#isLastRefused = true;
    return ok(undefined);
  }

  async #control({ request_id, request }: ControlRequest): Promise<Result<void>> {
    if (request.subtype === 'initialize') return this.#initialize(request_id, request);
    const line = await this.#open({ session: {} });
    if (!line.ok) return this.#refuse(request_id, line);
    const { session } = line.value;
    if (isMcpRequest(request)) {
      // Not awaited: a connection to one of the host's own servers needs lines that are still to come.
      void handleMcp(session, this.#calls, request).then((answer) => this.#reply(request_id, answer));
      return ok(undefined);
    }
    await this.#reply(
      request_id,
      request.subtype === 'rewind_files'
        ? await rewindFiles(session, request)
        : handleControl(session, request),
    );
    return ok(undefined);
  }

  /**
   * The first opens the session. A later one is from a host that reconnects: it changes nothing, may repeat the first, and lists
   * what runs.
   */
  async #initialize(request_id: string, request: ControlRequest['request']): Promise<Result<void>> {
    const isOpen = this.#line !== undefined;
    const asked = JSON.stringify(request);
    const isRepeated = isOpen && asked === this.#initialized;
    const more = isRepeated ? ok<HostOptions>({ session: {} }) : this.#optionsOf(request);
    if (!more.ok) return this.#refuse(request_id, more);
    if (isOpen && Object.keys(more.value.session).length > 0) {
      const error = 'The session is already open: its system prompt and agents cannot be changed.';
      await this.#reply(request_id, { ok: false, problem: { error } });
      return ok(undefined);
    }
    const line = await this.#open(more.value);
    if (!line.ok) return this.#refuse(request_id, line);
    this.#initialized ??= asked;
    const { session } = line.value;
    // The servers' commands are remembered; they are read when the pool is open, which waits for no server.
    if (session.mcp().isWanted) await session.mcp().openPool();
    await this.#reply(request_id, ok(initializeResponse(session.info(), request)));
    if (isOpen) await line.value.output.recall?.();
    return ok(undefined);
  }

  #optionsOf(request: ControlRequest['request']): Result<HostOptions> {
    const more = readHostOptions(request);
    if (!more.ok) return more;
    const hooks = this.#hooks.read(request.hooks);
    if (!hooks.ok) return hooks;
    const { value } = more;
    return ok(hooks.value ? { ...value, session: { ...value.session, hooks: hooks.value } } : value);
  }

  async #refuse(request_id: string, failed: Result<never>): Promise<Result<never>> {
    if (!failed.ok) await this.#reply(request_id, { ok: false, problem: { error: failed.problem.message } });
    return failed;
  }

  async #reply(request_id: string, answer: Result<object, ControlRefusal>): Promise<void> {
    const response = answer.ok
      ? { subtype: 'success', request_id, response: answer.value }
      : { subtype: 'error', request_id, error: answer.problem.error, error_code: answer.problem.code };
    await writeFrame(this.io, { type: 'control_response', response });
  }

  /** The first message opens the session; an `initialize` before it may still shape it. */
  async #open({
    session: more,
    forwardSubagentText,
    hostServerNames = [],
    hostServerConfigs,
    pluginDirectories = [],
    mcpConfig = [],
  }: HostOptions): Promise<Result<Line>> {
    if (this.#line) return ok(this.#line);
    const request = { ...this.request, ...(forwardSubagentText ? { forwardSubagentText } : {}) };
    const opened = await openSession({
      ...request.session,
      ...more,
      pluginDirectories: [...(request.session.pluginDirectories ?? []), ...pluginDirectories],
      mcpConfig: [...(request.session.mcpConfig ?? []), ...mcpConfig],
      // Even if no servers are named yet: the host may add some later.
      hostServers: this.#calls.servers(hostServerNames, hostServerConfigs),
      ...(request.print ? { oneShot: true } : {}),
      attended: request.hostAnswers,
      answersElicitations: true,
      streamAgents: streamsAgents(request),
    });
    if (!opened.ok) return opened;
    const session = opened.value;
    this.interrupts.attach(session);
    const questions = new HostQuestions(session, this.io, randomIds);
    const output = createOutput('stream-json', session.info(), request, this.io, (text) =>
      session.hide(text),
    );
    const events = session.events(() => this.#end('overrun'));
    session.onLost(() => this.#end('over'));
    const presented = present(events, {
      accept: async (event) => {
        await output.accept(event);
        if (request.hostAnswers || isOfServer(event)) await questions.accept(event);
      },
      finish: () => output.finish(),
    });
    this.#line = { session, questions, output, presented };
    session.continueSuspended();
    return ok(this.#line);
  }
}
