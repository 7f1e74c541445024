import type { AgentRequest } from '../../agents/spec.ts';
import { sleep } from '../../lib/clock.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { ok, type Result } from '../../lib/result.ts';
import { leaderName, type MemberRecord } from '../../protocol/index.ts';
import { openDetection } from '../../team/executors/detect.ts';
import type { ExecutorType, TeammateExecutor } from '../../team/executors/executor.ts';
import { openBackend, reconcileTeammates } from '../../team/executors/open-executor.ts';
import { paneExecutor } from '../../team/executors/pane-executor.ts';
import { paneVariable } from '../../team/executors/pane-mark.ts';
import { openMembers } from '../../team/members.ts';
import type { TeamOffice } from '../../team/office.ts';
import { locateTeam } from '../../team/team-place.ts';
import { listTeams } from '../../team/team-record.ts';
import { findProgram, programPath } from '../../workspace/search-path.ts';
import type { Kernel } from '../kernel.ts';

/** How long a process that has agreed to end may take to be gone. */
const maxLeavingMs = 5_000;
const betweenLooksMs = 50;

/** Teammates of this session that run in panes of a terminal: each is a session of its own. */
export class SessionPanes {
  readonly #detection: ReturnType<typeof openDetection>;

  constructor(
    private readonly kernel: Kernel,
    private readonly office: TeamOffice,
    private readonly ask: (name: string, reason: string) => Promise<Result<void>>,
  ) {
    const { options, settings, environment } = kernel;
    const mode = options.teammateMode ?? settings.teammateMode ?? 'auto';
    this.#detection = openDetection(mode, () => ({
      ...{ isInteractive: options.interactive === true, environment },
      findProgram: (name) => this.#find(name),
    }));
  }

  /** Where the next teammate runs. Why there are no panes is said once. */
  choose(): Result<ExecutorType> {
    const choice = this.#detection.choose();
    const reason = this.#detection.takeReason();
    if (reason !== undefined) this.kernel.events.noticeOnce('warning', reason);
    return choice.ok ? ok(choice.value.type) : choice;
  }

  /** Its record exists before its pane does, so that another start leaves the pane alone. */
  async start(
    type: Exclude<ExecutorType, 'in-process'>,
    name: string,
    request: AgentRequest,
  ): Promise<Result<string>> {
    const { kernel, office } = this;
    const { ids, cwd } = kernel.place;
    const executor = this.#open(type);
    if (!executor.ok) return executor;
    const available = await executor.value.isAvailable();
    if (!available.ok) return available;
    const sessionId = ids.uuid();
    const { description, prompt, model, effort, type: wanted } = request;
    const agentType = typeof wanted === 'object' ? wanted.name : wanted;
    const facts = keepDefined({
      kind: 'pane' as const,
      agentId: null,
      sessionId,
      description,
      agentType,
      cwd,
    });
    const before = office.members.read(name);
    const claimed = office.members.claim(name, facts);
    if (!claimed.ok) return claimed;
    const colour = office.members.read(name)?.colour ?? '';
    office.members.want(name, 'running');
    claimed.value.release('suspended', 'its pane opens');
    const spawned = await executor.value.spawn(
      keepDefined({
        ...{ name, team: office.name, colour, agentId: sessionId, taskId: sessionId, sessionId, prompt, cwd },
        ...{
          description,
          agentType,
          model,
          effort: formatEffort(effort),
          environment: pickForPane(kernel.environment),
        },
        permissionMode: kernel.roster.find(null)?.context.permissions.mode,
        leaderIncarnation: office.members.findIncarnation(leaderName),
      }),
    );
    if (!spawned.ok) {
      office.members.withdraw(name, before);
      return spawned;
    }
    return ok(sessionId);
  }

  /** Ends it at once. Undefined, or why it could not be ended. */
  async kill(name: string): Promise<string | undefined> {
    const member = { name, team: this.office.name };
    for (const type of ['tmux', 'iterm2', 'command'] as const) {
      const executor = this.#open(type);
      if (!executor.ok || !(await executor.value.isActive(member))) continue;
      const killed = await executor.value.kill(member);
      if (!killed.ok) return killed.problem.message;
    }
    this.office.members.want(name, 'ended');
    return this.office.members.isAlive(name) ? 'it runs in a session that this one did not start' : undefined;
  }

  async waitForEnd(name: string): Promise<string | undefined> {
    const { clock } = this.kernel.place;
    for (let waited = 0; this.office.members.isAlive(name); waited += betweenLooksMs) {
      if (waited >= maxLeavingMs) return this.kill(name);
      await sleep(clock, betweenLooksMs);
    }
    return this.kill(name);
  }

  /** At the start of a leader: panes of wanted members are kept, all others that are ours are closed. */
  async reconcile(): Promise<string[]> {
    const { home, machine, clock } = this.kernel.place;
    const wanted = listTeams(home, machine).teams.flatMap(({ name, endedAt }) =>
      endedAt === undefined
        ? openMembers(locateTeam(home, name), machine, clock).list().filter(isWanted)
        : [],
    );
    const done = await reconcileTeammates(wanted, { ...this.#world, home, machine });
    for (const problem of done.problems) this.kernel.events.noticeOnce('debug', problem);
    const suffix = `@${this.office.name}`;
    return done.missing.filter((one) => one.endsWith(suffix)).map((one) => one.slice(0, -suffix.length));
  }

  get #world() {
    const { environment, settings, place } = this.kernel;
    const commands = settings.teammateCommand;
    return {
      environment,
      commands,
      clock: place.clock,
      findProgram: (name: 'tmux' | 'it2') => this.#find(name),
    };
  }

  #open(type: Exclude<ExecutorType, 'in-process'>): Result<TeammateExecutor> {
    const { home, machine, clock, ids } = this.kernel.place;
    const backend = openBackend(type, this.#world);
    if (!backend.ok) return backend;
    return ok(
      paneExecutor(backend.value, {
        ...{ home, machine, clock, ids, program: findOwnProgram() },
        askToEnd: ({ name }, reason) => this.ask(name, reason),
      }),
    );
  }

  #find(name: string): string | undefined {
    const { environment, place } = this.kernel;
    return findProgram(name, programPath(environment.PATH ?? '', place.cwd, place.userHome));
  }
}

function isWanted({ kind, wanted, state }: MemberRecord): boolean {
  return kind === 'pane' && wanted === 'running' && state !== 'ended';
}

function formatEffort(effort: AgentRequest['effort']): string | undefined {
  return effort === undefined ? undefined : String(effort);
}

/** What a pane has of its own is not taken from the leader's terminal. */
function pickForPane(environment: Readonly<Record<string, string>>): Record<string, string> {
  const ofTerminal = /^(?:TMUX|TERM|PWD|OLDPWD|SHLVL|_|COLUMNS|LINES|ITERM_)/;
  const isOwn = (name: string) => ofTerminal.test(name) || name === paneVariable;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOwn(name)));
}

/** How this program is started again: a binary by itself, anything else with its script. */
function findOwnProgram(): string[] {
  const script = process.argv[1];
  const isCompiled = script === undefined || script.startsWith('/$bunfs/') || script === process.execPath;
  return isCompiled ? [process.execPath] : [process.execPath, script];
}
