import type { DoorClient, DoorEnd } from '../../door/door-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { readJsonlTail } from '../../lib/jsonl/jsonl.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { AgentEvent, AgentEventBody, Command, CostReport, TeamView } from '../../protocol/index.ts';
import { checkRecord } from '../../store/check-record.ts';
import type { PromptHistory } from '../../store/prompt-history.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import { SessionEvents } from '../events.ts';
import type { SessionInfo } from '../session.ts';
import type { ShownSession } from './shown-session.ts';

export interface AttachedParts {
  client: DoorClient;
  clock: Clock;
  home: string;
  /** The conversation as it is stored on this machine; null if there is none. */
  transcript: string | null;
  terminal: SessionInfo['terminal'];
}

/** A session that another process has: its state, its events, and commands for it. Nothing of it runs here, and closing this ends nothing. */
export class AttachedSession implements ShownSession {
  readonly #parts: AttachedParts;
  readonly #events = new SessionEvents();
  #info: SessionInfo;
  #cost: CostReport;
  #isFollowed = false;

  constructor(parts: AttachedParts) {
    this.#parts = parts;
    const { welcome } = parts.client;
    this.#cost = welcome.cost;
    this.#info = describe(parts);
  }

  get id(): string {
    return this.#info.id;
  }

  /** How the connection ended. The session itself may continue. */
  get ended(): Promise<DoorEnd> {
    return this.#parts.client.ended;
  }

  info(): SessionInfo {
    return this.#info;
  }

  /** When this connected. */
  get wasLeadRunning(): boolean {
    return this.#parts.client.welcome.isLeadRunning;
  }

  /** First what is true now, then everything that happens. For one reader. */
  events(onOverrun?: () => void): AsyncIterable<AgentEvent> {
    const events = this.#events.subscribe(onOverrun);
    if (!this.#isFollowed) this.#follow();
    return events;
  }

  #follow(): void {
    this.#isFollowed = true;
    const { client, transcript } = this.#parts;
    // Its reader shows them, and reads the transcript right after this.
    const known = new Set(transcript === null ? [] : listMessageIds(transcript));
    for (const body of describeNow(client)) this.#events.tell(body);
    client.follow((event) => {
      if (event.type === 'message_added' && known.has(event.record.uuid)) return;
      this.#note(event);
      this.#events.publish(event);
    });
    void client.ended.then(() => this.#events.close());
  }

  #note(event: AgentEvent): void {
    if (event.agentId !== null) return;
    if (event.type === 'run_ended' && event.cost) this.#cost = event.cost;
    if (event.type === 'mode_changed') this.#info = { ...this.#info, permissionMode: event.permissionMode };
    if (event.type === 'model_changed') this.#info = { ...this.#info, model: event.model };
  }

  /** Settles when the session has taken or refused it. */
  command(command: Command): Promise<Result<void>> {
    return this.#parts.client.send(command);
  }

  /** A refusal comes later, as a notice. */
  send(command: Command): Result<void> {
    void this.command(command).then((taken) => {
      if (!taken.ok) this.#events.warn([taken.problem.message, taken.problem.hint].filter(Boolean).join(' '));
    });
    return ok(undefined);
  }

  async messageAgent(to: string, message: string): Promise<Result<string>> {
    const sent = await this.command({ type: 'message_agent', to, message });
    return sent.ok ? ok('Sent.') : sent;
  }

  cost(): CostReport {
    return this.#cost;
  }

  now(): number {
    return this.#parts.clock.now();
  }

  promptId(): string {
    return crypto.randomUUID();
  }

  async prompts(): Promise<PromptHistory> {
    const { openPromptHistory } = await import('../../store/prompt-history.ts');
    const { home, clock } = this.#parts;
    return openPromptHistory({ home, clock, hide: (text) => text, isOff: false });
  }

  team(): TeamView | undefined {
    return undefined;
  }

  continueSuspended(): boolean {
    return false;
  }

  /** The process that has the session may have read it already. */
  withdrawPrompt(): boolean {
    return false;
  }

  withdrawCompaction(): boolean {
    return false;
  }

  get waitsToCompact(): boolean {
    return false;
  }

  runOwnCommand = async () => notHere('A shell command of yours');
  reviewGround = async () => notHere('A review of worktrees');
  checkpoints = async () => notHere('A list of checkpoints');
  previewRewind = async () => notHere('A rewind');
  rewind = async () => notHere('A rewind');

  /** Leaves. */
  async close(): Promise<Result<void>> {
    this.#parts.client.close();
    this.#events.close();
    return ok(undefined);
  }
}

function notHere(what: string): Result<never> {
  return usage(`${what} is possible only where the session runs.`);
}

function describe({ client, transcript, terminal }: AttachedParts): SessionInfo {
  const { sessionId, cwd, model, effort, contextWindow, permissionMode, commands, scratchpad } =
    client.welcome;
  return {
    ...{ id: sessionId, cwd, model, effort, contextWindow, permissionMode, commands, scratchpad },
    ...{ tools: [], agents: [], skills: [], transcriptPath: transcript, terminal },
    ...{ mode: scratchpad === null ? 'normal' : 'coordinator', background: true, backgroundWaitMs: 0 },
  };
}

/** What a screen cannot read from the transcript. */
function describeNow({ welcome }: DoorClient): AgentEventBody[] {
  const { model, permissionMode, cwd, contextWindow, suspended, state } = welcome;
  return [
    ...(welcome.isLeadRunning
      ? [{ type: 'run_started' as const, model, permissionMode, cwd, contextWindow, tools: [] }]
      : []),
    ...(suspended
      ? [{ type: 'request_waited' as const, reason: suspended.reason, delayMs: 0, suspended }]
      : []),
    ...welcome.tasks.filter(isUnderWay).map((task) => ({ type: 'task_changed' as const, task })),
    ...welcome.questions.map((question) => ({ type: 'question_asked' as const, question })),
    { type: 'state_changed', state },
  ];
}

/** More than a screen shows at first. */
const knownBytes = 512 * 1024;

function listMessageIds(transcript: string): string[] {
  const tail = readJsonlTail(transcript, () => false, knownBytes);
  return (tail.ok ? tail.value.records : []).flatMap((found) => {
    const checked = checkRecord(found);
    if (checked.kind !== 'good') return [];
    const { record } = checked;
    return record.type === 'user' || record.type === 'assistant' ? [record.uuid] : [];
  });
}
