import type { LiveAgent } from '../../agents/roster.ts';
import type { AgentRequest } from '../../agents/spec.ts';
import { sleep } from '../../lib/clock.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { MemberRecord } from '../../protocol/index.ts';
import { findSession } from '../../store/sessions.ts';
import { openDetection } from '../../team/executors/detect.ts';
import type { ExecutorType, TeammateExecutor } from '../../team/executors/executor.ts';
import { openBackend, reconcileTeammates } from '../../team/executors/open-executor.ts';
import { paneExecutor } from '../../team/executors/pane-executor.ts';
import { listPaneRecords } from '../../team/executors/pane-records.ts';
import { listWantedPanes } from '../../team/executors/wanted-panes.ts';
import type { TeamOffice } from '../../team/office.ts';
import { readStart, type StartRecord, writeStart } from '../../team/start-files.ts';
import { findProgram, programPath } from '../../workspace/search-path.ts';
import type { Kernel } from '../kernel.ts';
import { checkPassable } from '../passed-options.ts';
import { type PaneLaunch, preparePane, prepareResumedPane } from './pane-spec.ts';
import { type PaneStarts, watchStarts } from './pane-starts.ts';
import type { Crew } from './teammates.ts';
import { closedReason, watchOtherMembers } from './watch-members.ts';

/** How long a process that has agreed to end may take to be gone. */
const maxLeavingMs = 5_000;
const betweenLooksMs = 50;

export type PaneType = Exclude<ExecutorType, 'in-process'>;

const paneTypes: readonly PaneType[] = ['tmux', 'iterm2', 'command'];

/** The team whose panes these are. */
export interface PanesCrew extends Pick<Crew, 'agents' | 'changed'> {
  readonly kernel: Kernel;
  readonly office: TeamOffice;
  /** Asks a member to end, by mail. */
  askToEnd(name: string, reason: string): Promise<Result<void>>;
  /** A member's pane is gone before it took its place in the team. */
  lost(name: string, reason: string): void;
}

/** Teammates of this session that run in panes of a terminal: each is a session of its own. */
export class SessionPanes {
  readonly #detection: ReturnType<typeof openDetection>;
  readonly #starts: PaneStarts;
  #unwatch: (() => void) | undefined;
  /** Two messages that come at once open one pane. */
  readonly #resuming = new Map<string, Promise<Result<string>>>();
  /** Incarnations whose end was told. */
  readonly #told = new Set<string>();

  constructor(private readonly crew: PanesCrew) {
    const { kernel, office } = crew;
    const { options, settings, environment, place } = kernel;
    const mode = options.teammateMode ?? settings.teammateMode ?? 'auto';
    this.#detection = openDetection(mode, () => ({
      ...{ isInteractive: options.interactive === true, environment, passable: checkPassable(options) },
      findProgram: (name) => this.#find(name),
    }));
    this.#starts = watchStarts({
      ...{ clock: place.clock, members: office.members },
      isActive: (name) => this.#isActive(name),
      lost: async (name, reason) => {
        await this.kill(name);
        crew.lost(name, reason);
      },
    });
  }

  /** Where the next teammate runs. Why there are no panes is said once. */
  choose(): Result<ExecutorType> {
    const choice = this.#detection.choose();
    const reason = this.#detection.takeReason();
    if (reason !== undefined) this.crew.kernel.events.noticeOnce('warning', reason);
    return choice.ok ? ok(choice.value.type) : choice;
  }

  /** Opens a new teammate. Returns the id of its session. */
  async start(
    type: PaneType,
    name: string,
    request: AgentRequest,
    { lead, signal }: { lead: LiveAgent; signal: AbortSignal },
  ): Promise<Result<string>> {
    const { ids, machine } = this.crew.kernel.place;
    const sessionId = ids.uuid();
    const start = describeStart(request, { sessionId, taskUuid: ids.uuid() });
    const launch = await preparePane(this.crew, lead, { ...request, name }, { ...start, signal });
    if (!launch.ok) return launch;
    const { place } = this.crew.office;
    const kept = writeStart(place, name, start, machine);
    if (!kept.ok) return kept;
    return this.#open(type, name, launch.value);
  }

  /**
   * Opens a teammate again that has ended or died: its session continues, with the mail that waits for it. One that never began is started
   * with its task. Returns what happens next, in words.
   */
  resume(record: MemberRecord): Promise<Result<string>> {
    const { name } = record;
    const opening = this.#resuming.get(name) ?? this.#resume(record);
    this.#resuming.set(name, opening);
    return opening.finally(() => this.#resuming.delete(name));
  }

  async #resume(record: MemberRecord): Promise<Result<string>> {
    const { crew } = this;
    const { name, sessionId } = record;
    if (await this.#isActive(name)) return ok('It reads it when it has started.');
    const lead = crew.agents.roster.find(null);
    const type = this.choose();
    if (!type.ok) return type;
    if (!lead || type.value === 'in-process')
      return failure(`${name} ran in a pane, and there are none here.`, 'Start another teammate instead.');
    const { layout, machine } = crew.kernel.place;
    const begun = readStart(crew.office.place, record, machine);
    const kept = await findSession(layout, sessionId);
    if (!kept.ok) return this.#startAgain(type.value, name, begun, lead);
    const { agentType, description } = record;
    const launch = prepareResumedPane(crew, lead, sessionId, begun);
    const opened = await this.#open(type.value, name, keepDefined({ ...launch, agentType, description }));
    return opened.ok ? ok('It was not running, and resumes with it in a new pane.') : opened;
  }

  /** It was killed before it had a transcript. */
  async #startAgain(
    type: PaneType,
    name: string,
    begun: StartRecord | undefined,
    lead: LiveAgent,
  ): Promise<Result<string>> {
    if (!begun) return failure(`The session of ${name} is gone.`, 'Start it again with Agent.');
    const request = { ...begun.request, type: begun.request.type, background: true };
    const { signal } = new AbortController();
    const started = await this.start(type, name, request, { lead, signal });
    return started.ok ? ok('It had not begun, and starts with its task and with it in a new pane.') : started;
  }

  /** Its record exists before its pane does, so that another start leaves the pane alone. */
  async #open(type: PaneType, name: string, launch: PaneLaunch): Promise<Result<string>> {
    const { office } = this.crew;
    const { members } = office;
    const executor = this.#openExecutor(type);
    if (!executor.ok) return executor;
    const available = await executor.value.isAvailable();
    if (!available.ok) return available;
    const team = office.name;
    if (await executor.value.isActive({ name, team }))
      return failure(`${name}@${team} is already running.`, 'Choose another name, or end it first.');
    const { sessionId, description, agentType, cwd } = launch;
    const before = members.read(name);
    // One that continues has its model from its transcript.
    const model = launch.model ?? before?.model;
    const facts = { kind: 'pane' as const, agentId: null, sessionId, description, agentType, cwd, model };
    const claimed = members.claim(name, keepDefined(facts));
    if (!claimed.ok) return claimed;
    const { incarnation } = claimed.value;
    const { colour } = claimed.value.record;
    members.want(name, 'running');
    claimed.value.release('suspended', 'its pane opens');
    const spawned = await executor.value.spawn({ ...launch, name, team, colour });
    if (!spawned.ok) {
      members.withdraw(name, before);
      return spawned;
    }
    this.#watchAll();
    this.#starts.await(name, incarnation);
    return ok(sessionId);
  }

  async #isActive(name: string): Promise<boolean> {
    const member = { name, team: this.crew.office.name };
    for (const type of paneTypes) {
      const executor = this.#openExecutor(type);
      if (executor.ok && (await executor.value.isActive(member))) return true;
    }
    return false;
  }

  /** Ends it at once. Undefined, or why it could not be ended. */
  async kill(name: string): Promise<string | undefined> {
    const { office } = this.crew;
    const member = { name, team: office.name };
    for (const type of paneTypes) {
      const executor = this.#openExecutor(type);
      if (!executor.ok || !(await executor.value.isActive(member))) continue;
      const killed = await executor.value.kill(member);
      if (!killed.ok) return killed.problem.message;
    }
    office.members.want(name, 'ended');
    return office.members.isAlive(name) ? 'it runs in a session that this one did not start' : undefined;
  }

  async waitForEnd(name: string): Promise<string | undefined> {
    const { clock } = this.crew.kernel.place;
    for (let waited = 0; this.crew.office.members.isAlive(name); waited += betweenLooksMs) {
      if (waited >= maxLeavingMs) return this.kill(name);
      await sleep(clock, betweenLooksMs);
    }
    return this.kill(name);
  }

  /** The team has ended: closes the panes that are left of it, also those whose program never started. */
  async clear(): Promise<void> {
    const { office, kernel } = this.crew;
    const left = listPaneRecords(office.place, kernel.place.machine);
    for (const name of new Set(left.map((record) => record.name))) {
      const problem = await this.kill(name);
      if (problem !== undefined) kernel.events.warn(`The pane of ${name} is left: ${problem}.`);
    }
  }

  /**
   * At the start of a leader: panes of wanted members are kept, all others that are ours are closed. Returns the members of this team that
   * should run and do not.
   */
  async reconcile(): Promise<string[]> {
    const { kernel, office } = this.crew;
    const { home, machine, clock } = kernel.place;
    const wanted = listWantedPanes(home, machine, clock);
    const done = await reconcileTeammates(wanted, { ...this.#world, home, machine });
    for (const problem of done.problems) kernel.events.noticeOnce('debug', problem);
    const ours = wanted.filter(({ team }) => team === office.name);
    if (ours.length > 0) this.#watchAll();
    const isKept = ({ name }: MemberRecord) =>
      office.members.isAlive(name) || done.kept.includes(`${name}@${office.name}`);
    for (const { name, incarnation } of ours.filter(isKept)) this.#starts.await(name, incarnation);
    return ours.filter((member) => !isKept(member)).map(({ name }) => name);
  }

  /** From the first pane on: until then no other process changes anything. */
  #watchAll(): void {
    const { office, kernel, changed } = this.crew;
    this.#unwatch ??= watchOtherMembers(office, kernel.place.clock, (members) => {
      changed();
      for (const member of members) this.#noteClosed(member);
    });
  }

  #noteClosed({ name, incarnation, state, reason }: MemberRecord): void {
    if (state !== 'ended' || reason !== closedReason || this.#told.has(incarnation)) return;
    this.#told.add(incarnation);
    this.crew.lost(name, 'its pane was closed');
  }

  close(): void {
    this.#starts.stop();
    this.#unwatch?.();
  }

  get #world() {
    const { environment, settings, place } = this.crew.kernel;
    const commands = settings.teammateCommand;
    return {
      environment,
      commands,
      clock: place.clock,
      findProgram: (name: 'tmux' | 'it2') => this.#find(name),
    };
  }

  #openExecutor(type: PaneType): Result<TeammateExecutor> {
    const { home, machine, clock, ids } = this.crew.kernel.place;
    const backend = openBackend(type, this.#world);
    if (!backend.ok) return backend;
    return ok(
      paneExecutor(backend.value, {
        ...{ home, machine, clock, ids, program: findOwnProgram() },
        askToEnd: ({ name }, reason) => this.crew.askToEnd(name, reason),
      }),
    );
  }

  #find(name: string): string | undefined {
    const { environment, place } = this.crew.kernel;
    return findProgram(name, programPath(environment.PATH ?? '', place.cwd, place.userHome));
  }
}

function describeStart(
  { toolUseId, description, prompt, type, model, effort, isolation }: AgentRequest,
  ids: Pick<StartRecord, 'sessionId' | 'taskUuid'>,
): StartRecord {
  const typeName = typeof type === 'object' ? type.name : type;
  const place = isolation === 'remote' ? undefined : isolation;
  const request = { toolUseId, description, prompt, type: typeName, model, effort, isolation: place };
  return { format: 1, ...ids, request: keepDefined(request) };
}

/** How this program is started again: a binary by itself, anything else with its script. */
function findOwnProgram(): string[] {
  const script = process.argv[1];
  const isCompiled = script === undefined || script.startsWith('/$bunfs/') || script === process.execPath;
  return isCompiled ? [process.execPath] : [process.execPath, script];
}
