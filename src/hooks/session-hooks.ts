import { linkAbort } from '../lib/abort.ts';
import type { HookPlace, Hooks, Note, SessionSource, SkillHooks } from '../protocol/index.ts';
import { type Binding, bindHooks } from './bind.ts';
import { collectNotes } from './combine.ts';
import type { HookEntry, ReadHooks } from './entry.ts';
import type { HookedAgent, HookHost } from './host.ts';
import { readHooks } from './read-config.ts';
import { HookRunner } from './runner.ts';

export interface SessionHooksOptions {
  /** Of settings, plugins and the program; in the order of their precedence. */
  entries: readonly HookEntry[];
  /** Of the definition that the lead runs as: for the lead only. */
  leadEntries?: readonly HookEntry[];
  source: SessionSource;
  model: string;
  /** The definition that the lead runs as, if any. */
  leadType?: string;
  /** Where skills may bring hooks: those that are switched off. */
  skills?: { isOff(isManaged: boolean): boolean };
}

/** The time limit on closing, whatever a hook is configured with. */
const maxEndMs = 10_000;

/** All hooks of a session: the lead's, those of its agents, and those of the session's own start and end. */
export class SessionHooks {
  readonly lead: Hooks | undefined;
  readonly #runner: HookRunner;
  readonly #background = new AbortController();
  #opened: Promise<Note[]> | undefined;
  #isEnded = false;

  constructor(
    private readonly host: HookHost,
    private readonly options: SessionHooksOptions,
  ) {
    this.#runner = new HookRunner(host);
    const opens = options.entries.some(({ event }) => event === 'SessionStart');
    let isTold = false;
    this.lead = this.#bind({
      host,
      runner: this.#runner,
      agent: this.#lead(),
      entries: [...options.entries, ...(options.leadEntries ?? [])],
      background: this.#background,
      opening: opens
        ? async () => {
            if (isTold) return [];
            isTold = true;
            return this.open();
          }
        : undefined,
    });
  }

  /** The hooks of one agent: the session's, and those of its definition, which only it has. */
  forAgent(agent: HookedAgent, own: readonly HookEntry[]): Hooks | undefined {
    const background = new AbortController();
    const entries = [...this.options.entries, ...own];
    const hooks = this.#bind({ host: this.host, runner: this.#runner, agent, entries, background });
    if (!hooks) return undefined;
    const unlink = linkAbort(this.#background.signal, background);
    const { extend } = hooks;
    const close = () => {
      unlink();
      hooks.close?.();
      background.abort();
    };
    return { ...hooks, extend: extend && ((more) => ({ ...extend(more), close })), close };
  }

  #bind(binding: Binding): Hooks | undefined {
    const { skills } = this.options;
    const hooks = bindHooks(binding);
    if (!skills) return hooks;
    return {
      ...hooks,
      extend: (more) => {
        const wanted = more.filter(({ isManaged }) => !skills.isOff(isManaged));
        for (const { hooks, file } of wanted) this.host.noteHooks?.(hooks, file);
        const read = wanted.map((one) =>
          ownHooks(one, this.host.projectDirectory, binding.agent.id === null),
        );
        for (const { file, field, reason } of read.flatMap(({ faults }) => faults))
          this.#warn(binding.agent, `${file}, ${field}: ${reason}. This hook does not run.`);
        const added = read.flatMap(({ entries }) => entries);
        return bindHooks({ ...binding, entries: [...binding.entries, ...added] }) ?? {};
      },
    };
  }

  #warn({ id: agentId, parentToolUseId }: HookedAgent, text: string): void {
    this.host.publish({ agentId, parentToolUseId, type: 'notice_given', level: 'warning', text });
  }

  /** Fires the session's start, once. */
  open(): Promise<Note[]> {
    if (this.#isEnded) return Promise.resolve([]);
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Fires its end if there was a start, and leaves nothing running. */
  async end(reason: string): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const ending = this.options.entries.filter(({ event }) => event === 'SessionEnd');
    if (ending.length > 0 && this.#opened)
      await this.#runner.fire(ending, {
        event: 'SessionEnd',
        subject: reason,
        fields: { reason },
        agent: this.#lead(),
        at: this.#at(),
        maxMs: maxEndMs,
        background: this.#background.signal,
      });
    this.#background.abort();
    await this.#runner.settled();
  }

  async #open(): Promise<Note[]> {
    const { entries, source, model } = this.options;
    const starting = entries.filter(({ event }) => event === 'SessionStart');
    const heard = await this.#runner.fire(starting, {
      event: 'SessionStart',
      subject: source,
      fields: { source, model },
      agent: this.#lead(),
      at: this.#at(),
      background: this.#background.signal,
    });
    return collectNotes('SessionStart', heard);
  }

  /** Independent of a turn: neither its directory nor its end. */
  #at(): HookPlace {
    const { projectDirectory, permissionMode } = this.host;
    return { cwd: projectDirectory, permissionMode: permissionMode(), signal: this.#background.signal };
  }

  #lead(): HookedAgent {
    const { leadType } = this.options;
    return { id: null, parentToolUseId: null, type: leadType };
  }
}

/** The hooks of an agent's definition; `isLead`: the session itself runs as it, and it has its own Stop. */
export function ownHooks(
  { name, file = `agent ${name}`, hooks }: { name: string; file?: string; hooks?: unknown },
  base: string,
  isLead: boolean,
): ReadHooks {
  if (hooks === undefined) return { entries: [], faults: [] };
  const own = readHooks(hooks, { kind: 'agent', file, base, agent: name });
  if (!isLead) return own;
  const asLead = own.entries.map((entry) =>
    entry.event === 'SubagentStop' ? { ...entry, event: 'Stop' as const } : entry,
  );
  return { entries: [...own.entries, ...asLead.filter(({ event }) => event === 'Stop')], faults: own.faults };
}

/** The hooks of a skill, for the agent that runs it: the end of that agent's run is its stop. */
export function skillHooks({ name, file, hooks }: SkillHooks, base: string, isLead: boolean): ReadHooks {
  const { entries, faults } = readHooks(hooks, { kind: 'skill', file, base, skill: name });
  if (isLead) return { entries, faults };
  const inAgent = entries.map((entry) =>
    entry.event === 'Stop' ? { ...entry, event: 'SubagentStop' as const } : entry,
  );
  return { entries: inAgent, faults };
}
