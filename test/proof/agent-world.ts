import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { textOf } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { Session } from '../../src/session/session.ts';
import { type AnswerTurn, call, calls, type FixedTurn, say, scriptedModel } from '../../src/testing/index.ts';
import type { Random } from './random.ts';

interface Waiting {
  agentId: string;
  answer(turn: FixedTurn): void;
}

/**
 * A session whose lead does what it is told by numbered commands, and whose agents wait until they are let go, in any
 * order. It can be cut off at any moment, and goes on from a copy of what was on disk then.
 */
export class AgentWorld {
  session: Session | undefined;
  #life = 0;
  #home = '';
  readonly #waiting = new Map<string, Waiting>();
  readonly #commands = new Map<number, AnswerTurn>();
  #reports = 0;
  #hired = 0;
  /** Orders of earlier lives, which nobody may ever begin. */
  #forgotten = 0;
  readonly #agents = new Set<string>();

  constructor(
    private readonly directory: string,
    private readonly random: Random,
  ) {
    mkdirSync(join(directory, 'work'), { recursive: true });
  }

  /** Agents that have asked their model at least once. */
  get agents(): number {
    return this.#agents.size;
  }

  /** Orders that no agent has begun with. */
  get unbegun(): number {
    return this.#hired - this.#forgotten - this.agents;
  }

  async begin(sessionId?: string): Promise<Session> {
    const home = join(this.directory, `home-${++this.#life}`);
    if (sessionId) cpSync(join(this.#home, 'projects'), join(home, 'projects'), { recursive: true });
    this.#home = home;
    if (sessionId) this.#loseLastRecords(sessionId);
    const life = this.#life;
    const opened = await openSession({
      cwd: join(this.directory, 'work'),
      environment: { PATH: '/usr/bin:/bin', HOME: this.directory, CADRE_HOME: home, SHELL: '/bin/sh' },
      model: scriptedModel((request) => this.#answer(request, life)),
      sandbox: false,
      agentLimits: {
        maxConcurrent: 2 + this.random.below(30),
        maxTotal: 1_000_000,
        askAboveAgents: 1_000_000,
      },
      ...(sessionId ? { resume: { from: 'id' as const, id: sessionId } } : {}),
    });
    if (!opened.ok) throw new Error(opened.problem.message);
    this.session = opened.value;
    return opened.value;
  }

  /** Cuts the session off where it stands, and goes on from disk. The old one ends in a place where nobody looks. */
  async crash(): Promise<void> {
    const old = this.session;
    if (!old) return;
    this.#waiting.clear();
    this.#forgotten = this.#hired - this.agents;
    await this.begin(old.id);
    await old.close();
  }

  get transcript(): string {
    return this.session?.info().transcriptPath ?? '';
  }

  hire(count: number): void {
    const one = () => {
      const background = this.random.below(12) > 0;
      const prompt = `Job ${++this.#hired}`;
      return call('Agent', { description: prompt, prompt, run_in_background: background });
    };
    this.#command(calls(Array.from({ length: count }, one)));
  }

  write(): void {
    const agentId = this.#anyAgent();
    if (agentId) this.#command(call('SendMessage', { to: agentId, message: 'Once more.' }));
  }

  stop(): void {
    const agentId = this.#anyAgent();
    if (!agentId) return;
    if (this.random.below(2) === 0) this.session?.send({ type: 'stop_task', taskId: agentId });
    else this.#command(call('TaskStop', { task_id: agentId }));
  }

  moveToBackground(): void {
    this.session?.send({ type: 'background_tasks' });
  }

  /** Lets one of the waiting agents go on: with its report, or one step. */
  release(): boolean {
    const ids = [...this.#waiting.keys()];
    const id = ids[this.random.below(ids.length)];
    if (id === undefined) return false;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.answer(
      this.random.below(4) === 0 ? call('Glob', { pattern: '*' }) : say(`Report ${++this.#reports}.`),
    );
    return true;
  }

  prompt(text: string): void {
    this.session?.send({ type: 'prompt', content: text });
  }

  #command(turn: AnswerTurn): void {
    const number = this.#commands.size + 1;
    this.#commands.set(number, turn);
    this.prompt(`[[command ${number}]]`);
  }

  #anyAgent(): string | undefined {
    const agents = this.session?.tasks().filter((task) => task.kind === 'local_agent') ?? [];
    return agents[this.random.below(agents.length)]?.id;
  }

  #answer(request: ModelRequest, life: number): FixedTurn | Promise<FixedTurn> {
    const agentId = request.asker?.agentId ?? null;
    if (agentId === null) return this.#leadsAnswer(request);
    this.#agents.add(agentId);
    return new Promise((resolve) => {
      if (life === this.#life) this.#waiting.set(agentId, { agentId, answer: resolve });
    });
  }

  /** The newest command that it was given, once; several at once one after the other. */
  #leadsAnswer(request: ModelRequest): FixedTurn {
    const last = request.messages.at(-1);
    const text = last?.role === 'user' ? textOf(last.content) : '';
    const turns = [...text.matchAll(/\[\[command (\d+)\]\]/g)].flatMap((match) => {
      const turn = this.#commands.get(Number(match[1]));
      return turn ? [turn] : [];
    });
    return turns.length > 0 ? calls(turns) : say('Ok.');
  }

  /** Now and then the last few records were not written any more. */
  #loseLastRecords(sessionId: string): void {
    const lost = Math.max(0, this.random.below(6) - 2);
    const project = join(this.#home, 'projects', join(this.directory, 'work').replace(/[^a-zA-Z0-9]/g, '-'));
    const path = join(project, `${sessionId}.jsonl`);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    if (lost > 0 && lines.length > lost + 2)
      writeFileSync(path, `${lines.slice(0, lines.length - lost).join('\n')}\n`);
  }
}
