import { formatError } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { AgentEventBody, HookEnd, HookEvent } from '../protocol/index.ts';
import type { HookEntry } from './entry.ts';
import { eventFacts } from './events.ts';
import {
  buildHookInput,
  chooseTimeout,
  describeHook,
  type Firing,
  formatHookName,
  selectEntries,
} from './firing.ts';
import { failed, type HookRun, maxCharacters } from './hook-run.ts';
import type { HookedAgent, HookHost } from './host.ts';
import { buildBlock } from './read-json.ts';
import { readOutput } from './read-output.ts';
import { startHandler } from './start-handler.ts';
import type { HookWord } from './word.ts';

/** A hook's word together with its hook. */
export interface Heard extends HookWord {
  entry: HookEntry;
}

/** Asks hooks in parallel. Their words come back in the order of the configuration, whichever was faster. */
export class HookRunner {
  readonly #told = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(private readonly host: HookHost) {}

  async fire(entries: readonly HookEntry[], firing: Firing): Promise<Heard[]> {
    if (firing.at.signal.aborted) return [];
    return Promise.all(selectEntries(entries, firing).map((entry) => this.#ask(entry, firing)));
  }

  /** Resolves when nothing that was started is left. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #ask(entry: HookEntry, firing: Firing): Promise<Heard> {
    const { host } = this;
    const hook = describeHook(entry, firing, host.ids.uuid());
    const start = host.clock.monotonic();
    this.#publish(firing.agent, { type: 'hook_started', hook });
    const running = startHandler(host, entry, {
      firing,
      input: buildHookInput(host, firing),
      timeoutMs: chooseTimeout(entry, firing),
      progressed: (stdout, stderr) => {
        const shown = { stdout: cut(stdout), stderr: cut(stderr) };
        this.#publish(firing.agent, { type: 'hook_progressed', hook, ...shown });
      },
    });
    const finished = running.ended.catch(broken).then((run) => {
      const word = closedWhere(entry, firing, run, readOutput(firing.event, run));
      const end = buildHookEnd(run, word, host.clock.monotonic() - start);
      this.#publish(firing.agent, { type: 'hook_ended', hook, end });
      this.#tell(entry, firing, word);
      return word;
    });
    this.#running.add(finished);
    void finished.finally(() => this.#running.delete(finished));
    if (entry.handler.type === 'command' && entry.handler.async) return { entry };
    const run = await running.heard.catch(broken);
    return run.kind === 'detached' ? { entry } : { ...(await finished), entry };
  }

  /** Messages for the user. The same complaint about the same hook is made once. */
  #tell(entry: HookEntry, { agent, event }: Firing, word: HookWord): void {
    const { message, problem } = word;
    if (message)
      this.#publish(agent, { type: 'notice_given', level: 'info', text: visibleLine(message, 2_000) });
    if (problem === undefined) return;
    const text = `A ${event} hook (${entry.source.file}: ${formatHookName(entry)}) ${describeEffect(word)}: ${problem}.`;
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#publish(agent, { type: 'notice_given', level: 'warning', text: visibleLine(text, 2_000) });
  }

  #publish({ id, parentToolUseId }: HookedAgent, body: AgentEventBody): void {
    this.host.publish({ agentId: id, parentToolUseId, ...body });
  }
}

/** The effect of a hook that had a problem. */
function describeEffect({ block, decision, answer }: HookWord): string {
  if (block !== undefined || decision === 'deny' || answer?.behaviour === 'deny')
    return 'is treated as a denial';
  return decision === 'ask' ? 'is treated as a request to ask the user' : 'was ignored';
}

function broken(error: unknown): HookRun {
  return failed(visibleLine(formatError(error), 300));
}

/** A program that must be asked before a call and does not answer has not said yes. */
function closedWhere(
  { handler }: HookEntry,
  { event, at }: Pick<Firing, 'event' | 'at'>,
  run: HookRun,
  word: HookWord,
): HookWord {
  const isLost = run.kind === 'failed' || run.kind === 'timed_out';
  if (run.isHeld && isStoppable(event))
    return { ...word, ...buildBlock(event, `A hook was not run: ${run.problem ?? 'no reason given'}.`) };
  if (handler.type !== 'callback' || !isLost || at.signal.aborted) return word;
  const reason = `The hook callback did not answer: ${word.problem ?? 'no reason given'}.`;
  const isClosed = handler.failsClosed || (event === 'PreToolUse' && run.kind === 'timed_out');
  return isClosed && isStoppable(event) ? { ...word, ...buildBlock(event, reason) } : word;
}

function isStoppable(event: HookEvent): boolean {
  return eventFacts[event].block === 'stops' && event !== 'Stop' && event !== 'SubagentStop';
}

function buildHookEnd(run: HookRun, word: HookWord, durationMs: number): HookEnd {
  const isError = run.kind === 'failed' || run.kind === 'timed_out' || (run.exitCode ?? 0) !== 0;
  return {
    outcome: run.kind === 'cancelled' ? 'cancelled' : isError ? 'error' : 'success',
    exitCode: run.exitCode,
    stdout: word.isQuiet ? '' : cut(run.stdout),
    stderr: word.isQuiet ? '' : cut(run.stderr),
    durationMs,
    word: nameDecision(word),
  };
}

function nameDecision({ decision, answer, block, stop }: HookWord): string | undefined {
  if (decision || answer) return decision ?? answer?.behaviour;
  if (block !== undefined) return 'block';
  return stop === undefined ? undefined : 'stop';
}

function cut(text: string): string {
  return text.slice(0, maxCharacters);
}
