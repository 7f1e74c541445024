import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AgentEvent,
  Answer,
  ModelRequest,
  PermissionMode,
  Question,
  TaskView,
} from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { Session } from '../../src/session/session.ts';
import { type AnswerTurn, call, calls, type FixedTurn, say, scriptedModel } from '../../src/testing/index.ts';
import { type Actor, type Definition, type Law, refusalOf } from './ceiling-law.ts';
import type { Random } from './random.ts';

const modes: PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const denials = ['Write', 'Bash', 'Bash(rm:*)', 'Edit(secret/**)', 'Agent(Plan)', 'Agent(tall)'];
const names = ['tall', 'small', 'wide'];
const deepest = 3;

/** A session whose agents, however deep, try whatever they can think of. What they got to do is judged afterwards. */
export class CeilingTree {
  readonly faults: string[] = [];
  readonly counts = { done: 0, refused: 0, agents: 0, forks: 0, messages: 0, changes: 0 };
  readonly #law: Law;
  readonly #mode: PermissionMode;
  readonly #forking: boolean;
  #session: Session | undefined;
  readonly #steps = new Map<string | null, number>();
  readonly #tasks = new Map<string, TaskView>();
  readonly #allowed = new Set<string>();
  #modes: PermissionMode[] = [];

  constructor(
    private readonly directory: string,
    private readonly random: Random,
  ) {
    const cwd = join(directory, 'work');
    this.#mode = this.#pick(modes);
    this.#forking = random.below(3) === 0;
    this.#law = {
      cwd,
      ...(random.below(3) === 0
        ? { tools: ['Agent', ...this.#some(['Read', 'Write', 'Bash', 'SendMessage'])] }
        : {}),
      deny: denials.filter(() => random.below(5) === 0),
      allow: ['Write', 'Edit(ok.txt)', 'Bash'].filter(() => random.below(5) === 0),
      allowBypass: random.below(2) === 0 || this.#mode === 'bypassPermissions',
      edits: random.below(4) === 0 ? 'acceptEdits' : 'default',
      maxDepth: 1 + random.below(deepest),
      definitions: Object.fromEntries(names.map((name) => [name, this.#define()])),
    };
    this.#lay();
  }

  async grow(): Promise<void> {
    const { cwd, deny, allow, allowBypass, edits, maxDepth, tools } = this.#law;
    const opened = await openSession({
      cwd,
      environment: {
        PATH: '/usr/bin:/bin',
        HOME: this.directory,
        CADRE_HOME: join(this.directory, 'home'),
        SHELL: '/bin/sh',
      },
      model: scriptedModel((request) => this.#answer(request)),
      permissionMode: this.#mode,
      allowBypass,
      trust: true,
      // Confined commands take their time; what they may do is the same.
      ...(this.random.below(5) === 0 ? {} : { sandbox: false }),
      ...(tools ? { tools: [...tools] } : {}),
      disallowedTools: [...deny],
      allowedTools: [...allow],
      agents: this.#given(),
      agentLimits: { maxDepth, fork: this.#forking, permissionMode: edits, askAboveAgents: 1_000 },
      ...(this.random.below(2) === 0 ? { onQuestion: async (question) => this.#decide(question) } : {}),
    });
    if (!opened.ok) throw new Error(opened.problem.message);
    this.#session = opened.value;
    this.#modes = [this.#mode];
    const watched = this.#watch(opened.value);
    for (const prompt of ['Begin.', 'Go on.']) {
      opened.value.send({ type: 'prompt', content: prompt });
      await opened.value.finished(new AbortController().signal);
    }
    await opened.value.close();
    await watched;
  }

  #define(): Definition {
    const tools =
      this.random.below(2) === 0 ? undefined : this.#some(['Read', 'Write', 'Bash', 'Agent', 'Glob']);
    const mode = this.random.below(2) === 0 ? undefined : this.#pick(modes);
    return { ...(tools ? { tools } : {}), ...(mode ? { mode } : {}), isProjects: this.random.below(3) === 0 };
  }

  #lay(): void {
    const { cwd, definitions } = this.#law;
    for (const folder of ['secret', '.git', join('.claude', 'agents')])
      mkdirSync(join(cwd, folder), { recursive: true });
    writeFileSync(join(cwd, 'kept.txt'), 'kept');
    for (const [name, { tools, mode, isProjects }] of Object.entries(definitions)) {
      if (!isProjects) continue;
      const fields = [
        `name: ${name}`,
        'description: x',
        ...(tools ? [`tools: ${tools.join(', ')}`] : []),
        ...(mode ? [`permissionMode: ${mode}`] : []),
      ];
      writeFileSync(
        join(cwd, '.claude', 'agents', `${name}.md`),
        `---\n${fields.join('\n')}\n---\nYou try.\n`,
      );
    }
  }

  #given() {
    return Object.fromEntries(
      Object.entries(this.#law.definitions).flatMap(([name, { tools, mode, isProjects }]) =>
        isProjects
          ? []
          : [
              [
                name,
                {
                  description: 'x',
                  prompt: 'You try.',
                  ...(tools ? { tools } : {}),
                  ...(mode ? { permissionMode: mode } : {}),
                },
              ],
            ],
      ),
    );
  }

  #answer(request: ModelRequest): FixedTurn {
    const agentId = request.asker?.agentId ?? null;
    const step = (this.#steps.get(agentId) ?? 0) + 1;
    this.#steps.set(agentId, step);
    if (this.random.below(6) === 0) this.#changeMode();
    if (step % 3 === 0 || this.#steps.size > 8) return say('Enough.');
    return calls(Array.from({ length: 1 + this.random.below(3) }, () => this.#try()));
  }

  #changeMode(): void {
    const mode = this.#pick(modes);
    if (!this.#session?.send({ type: 'set_permission_mode', mode }).ok) return;
    this.counts.changes++;
    this.#modes.push(mode);
  }

  #try(): AnswerTurn {
    const { cwd } = this.#law;
    const paths = ['ok.txt', 'secret/x', '.git/config', join(cwd, '..', 'outside.txt')];
    switch (this.random.below(5)) {
      case 0:
      case 1:
        return call('Write', { file_path: this.#pick(paths), content: 'x' });
      case 2:
        return call('Bash', {
          command: this.#pick(['ls', 'echo hi', 'rm -f gone', 'touch made', 'ls; rm -f gone']),
        });
      case 3:
        return this.#hire();
      default:
        return this.#write() ?? this.#hire();
    }
  }

  #hire(): AnswerTurn {
    const type = this.#pick([...names, 'Explore', 'Plan', 'general-purpose', undefined]);
    const background = this.random.below(3) === 0;
    return call('Agent', {
      ...{ description: 'x', prompt: 'Try whatever you can.' },
      ...(type ? { subagent_type: type } : {}),
      ...(background ? { run_in_background: true } : {}),
    });
  }

  #write(): AnswerTurn | undefined {
    const ids = [...this.#tasks.keys()];
    if (ids.length === 0) return undefined;
    this.counts.messages++;
    return call('SendMessage', { to: this.#pick(ids), message: 'Try something else.' });
  }

  #decide(question: Question): Answer {
    if (this.random.below(2) === 0) return { behaviour: 'deny', message: 'no' };
    this.#allowed.add(`${question.agentId ?? ''} ${question.toolUseId}`);
    return { behaviour: 'allow' };
  }

  async #watch(session: Session): Promise<void> {
    const before = new Map<string | null, number>();
    for await (const event of session.events()) {
      if (event.type === 'task_changed' && event.task.kind === 'local_agent') this.#meet(event.task);
      if (event.type === 'permission_denied') this.counts.refused++;
      // A change of mode counts from the next call: one that was judged just before it may still begin.
      if (event.type === 'message_added' && event.record.type === 'assistant')
        before.set(event.agentId, this.#modes.length - 1);
      if (event.type === 'tool_started') this.#judge(event, before.get(event.agentId) ?? 0);
    }
  }

  #meet(task: TaskView): void {
    const isNew = !this.#tasks.has(task.id);
    this.#tasks.set(task.id, task);
    if (!isNew) return;
    this.counts.agents++;
    if (task.agent?.type === 'fork') this.counts.forks++;
    if ((task.agent?.depth ?? 0) > this.#law.maxDepth)
      this.faults.push(`an agent at depth ${task.agent?.depth}`);
    if (this.#law.deny.includes(`Agent(${task.agent?.type})`))
      this.faults.push(`an agent of type ${task.agent?.type}`);
  }

  #judge(event: Extract<AgentEvent, { type: 'tool_started' }>, since: number): void {
    this.counts.done++;
    if (event.agentId === null) {
      if (this.#law.tools && !this.#law.tools.includes(event.toolName))
        this.faults.push(`the lead used ${event.toolName}, which --tools left out`);
      return;
    }
    const deed = {
      tool: event.toolName,
      input: event.input as Record<string, unknown>,
      actor: this.#actor(event.agentId),
      modes: this.#modes.slice(since),
      wasAllowed: this.#allowed.has(`${event.agentId} ${event.toolUseId}`),
    };
    const reason = refusalOf(this.#law, deed);
    if (reason)
      this.faults.push(`${reason}: ${JSON.stringify({ ...deed, law: this.#law, start: this.#mode })}`);
  }

  #actor(agentId: string): Actor {
    const task = this.#tasks.get(agentId);
    const above: string[] = [];
    for (let at = task; at?.owner; ) {
      at = this.#tasks.get(at.owner);
      if (at?.agent) above.push(at.agent.type);
    }
    return { type: task?.agent?.type ?? '', isFork: task?.agent?.type === 'fork', above };
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)] as T;
  }

  #some<T>(values: readonly T[]): T[] {
    return values.filter(() => this.random.below(2) === 0);
  }
}
