import { randomIds } from '../lib/ids.ts';
import { ok, type Problem, type Result, usage } from '../lib/result.ts';
import type { Outcome } from '../protocol/index.ts';
import { openSession } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { handleControl, type Refusal } from './control.ts';
import { HostCalls } from './host-calls.ts';
import { HostQuestions } from './host-questions.ts';
import { type HostOptions, initializeResponse, optionsOf } from './initialize.ts';
import { type Io, writeFrame } from './io.ts';
import { handleMcp, isMcpRequest } from './mcp-control.ts';
import { outputFor } from './output.ts';
import { readLines } from './read-lines.ts';
import { complain, finishWork, type HeadlessRequest, type Interrupts, present } from './run-prompt.ts';
import { type ControlRequest, type HostMessage, parseHostMessage } from './wire.ts';

/** `--input-format stream-json`: a program at the other end drives the session line by line until it closes its side. */
export async function serveHost(request: HeadlessRequest, io: Io, interrupts: Interrupts): Promise<number> {
  const host = new Host(request, io, interrupts);
  for await (const line of readLines(io.input)) {
    const message =
      'tooLong' in line
        ? usage(`Standard input, line ${line.number}: longer than 32 MB.`)
        : parseHostMessage(line.text, line.number);
    const taken = message.ok ? await host.take(message.value) : message;
    if (!taken.ok) return host.fail(taken.problem);
  }
  return host.finish();
}

/** One open session together with what carries its events to the host. */
interface Line {
  session: Session;
  questions: HostQuestions;
  presented: Promise<Outcome | undefined>;
}

class Host {
  #line: Line | undefined;
  readonly #calls: HostCalls;

  constructor(
    private readonly request: HeadlessRequest,
    private readonly io: Io,
    private readonly interrupts: Interrupts,
  ) {
    this.#calls = new HostCalls(io, randomIds);
  }

  async take(message: HostMessage): Promise<Result<void>> {
    switch (message.type) {
      case 'user':
        return this.#prompt(message);
      case 'control_request':
        return this.#control(message);
      case 'control_response':
        if (!this.#line?.questions.answer(message)) this.#calls.answer(message);
        return ok(undefined);
      default:
        return ok(undefined);
    }
  }

  async finish(): Promise<number> {
    if (!this.#line) return 0;
    const { session, presented } = this.#line;
    session.leave('The host closed its side before answering.');
    this.#calls.leave();
    await finishWork(session, this.request.clock);
    await session.close();
    const outcome = await presented;
    const failed = outcome !== undefined && outcome.kind !== 'completed' && outcome.kind !== 'interrupted';
    return this.interrupts.exitCode() ?? (failed ? 1 : 0);
  }

  async fail(problem: Problem): Promise<number> {
    await this.#line?.session.close();
    return complain(this.io, problem);
  }

  async #prompt(message: Extract<HostMessage, { type: 'user' }>): Promise<Result<void>> {
    const line = await this.#open({});
    if (!line.ok) return line;
    const { uuid, priority } = message;
    const delivery = priority === 'now' || priority === 'next' ? 'steer' : 'queue';
    return line.value.session.send({
      type: 'prompt',
      content: message.message.content,
      delivery,
      ...(uuid ? { uuid } : {}),
    });
  }

  async #control({ request_id, request }: ControlRequest): Promise<Result<void>> {
    const more = request.subtype === 'initialize' ? optionsOf(request) : ok({});
    if (this.#line && more.ok && Object.keys(more.value).length > 0) {
      await this.#reply(request_id, {
        ok: false,
        problem: { error: 'The session is open: its system prompt stays as it is.' },
      });
      return ok(undefined);
    }
    const line = more.ok ? await this.#open(more.value) : more;
    if (!line.ok) {
      await this.#reply(request_id, { ok: false, problem: { error: line.problem.message } });
      return line;
    }
    const { session } = line.value;
    if (isMcpRequest(request)) {
      // Not waited for: a connection to one of the host's own servers needs lines that are still to come.
      void handleMcp(session, this.#calls, request).then((answer) => this.#reply(request_id, answer));
      return ok(undefined);
    }
    const answer =
      request.subtype === 'initialize'
        ? ok(initializeResponse(session.info()))
        : handleControl(session, request);
    await this.#reply(request_id, answer);
    return ok(undefined);
  }

  async #reply(request_id: string, answer: Result<object, Refusal>): Promise<void> {
    const response = answer.ok
      ? { subtype: 'success', request_id, response: answer.value }
      : {
          subtype: 'error',
          request_id,
          error: answer.problem.error,
          ...(answer.problem.code ? { error_code: answer.problem.code } : {}),
        };
    await writeFrame(this.io, { type: 'control_response', response });
  }

  /** The first message opens the session; an `initialize` before it may still shape it. */
  async #open(more: HostOptions): Promise<Result<Line>> {
    if (this.#line) return ok(this.#line);
    const { hostServerNames = [], ...shaped } = more;
    const opened = await openSession({
      ...this.request.session,
      ...shaped,
      // Also where none is named yet: the host may add some later.
      hostServers: this.#calls.servers(hostServerNames),
      attended: this.request.hostAnswers,
    });
    if (!opened.ok) return opened;
    const session = opened.value;
    this.interrupts.attach(session);
    const questions = new HostQuestions(session, this.io, randomIds);
    const output = outputFor('stream-json', session.info(), this.request, this.io);
    const presented = present(session.events(), {
      accept: async (event) => {
        await output.accept(event);
        if (this.request.hostAnswers) await questions.accept(event);
      },
      finish: () => output.finish(),
    });
    this.#line = { session, questions, presented };
    return ok(this.#line);
  }
}
