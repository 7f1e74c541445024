import type { LiveAgent } from '../../agents/roster.ts';
import type { AgentRequest } from '../../agents/spec.ts';
import type { Sending, TeamSeat, Teams } from '../../agents/teams.ts';
import { ok, type Result, sayProblem, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { errorResult, type ToolResult, textResult } from '../../protocol/index.ts';
import { isOpening } from '../../team/member-record.ts';
import { isMemberName, isReservedName } from '../../team/names.ts';
import { isTeamName, locateTeam } from '../../team/team-place.ts';
import { createTeamInTurn, endTeam, listTeams, loadTeam } from '../../team/team-record.ts';
import type { TeamAnswer } from '../../team/tools/team-tools.ts';
import { SessionCrew, type TeamParts } from './crew.ts';
import type { CrewSeat } from './crew-seat.ts';
import { describeMember } from './list-agents.ts';
import { explainEnd } from './member-end.ts';
import { type PaneType, SessionPanes } from './panes.ts';
import { resumeMembers } from './resume-members.ts';
import { sendMail } from './send-mail.ts';
import { describeShutdown, shutDownAll } from './shut-down.ts';
import { type StartedTeammate, startTeammate } from './teammates.ts';
import { followWaitingMail } from './waiting-mail.ts';
import { closedReason } from './watch-members.ts';

export async function createOpenTeam(
  parts: TeamParts,
  team: { name: string; description?: string | undefined },
): Promise<Result<OpenTeam>> {
  const { home, machine, clock, cwd } = parts.kernel.place;
  const record = await createTeamInTurn(
    {
      ...{ name: team.name, leaderSession: parts.kernel.id, cwd },
      ...(team.description === undefined ? {} : { description: team.description }),
    },
    { home, machine, clock },
  );
  if (!record.ok) return record;
  const crew = SessionCrew.open(parts, locateTeam(home, team.name), record.value);
  if (!crew.ok) return crew;
  const opened = new OpenTeam(parts, crew.value);
  opened.followMail();
  return ok(opened);
}

/** The team that this session led when its last process ended; undefined if it led none. */
export function resumeOpenTeam(parts: TeamParts): Result<OpenTeam> | undefined {
  const { home, machine } = parts.kernel.place;
  const led = listTeams(home, machine).teams.find(
    ({ leaderSession, endedAt }) => leaderSession === parts.kernel.id && endedAt === undefined,
  );
  if (!led) return undefined;
  const crew = SessionCrew.open(parts, locateTeam(home, led.name), led);
  return crew.ok ? ok(new OpenTeam(parts, crew.value)) : crew;
}

/** This session takes part in a team that another one leads. */
export function joinOpenTeam(parts: TeamParts, team: string, seat: CrewSeat): Result<OpenTeam> {
  const { home, machine } = parts.kernel.place;
  if (!isTeamName(team)) return usage(`"${visibleLine(team, 64)}" is not a team name.`);
  const place = locateTeam(home, team);
  const record = loadTeam(place, machine);
  if (!record.ok) return record;
  if (!record.value || record.value.endedAt !== undefined)
    return usage(`There is no open team ${team}.`, 'List them with: cadre team list');
  const crew = SessionCrew.open(parts, place, record.value, seat);
  return crew.ok ? ok(new OpenTeam(parts, crew.value)) : crew;
}

/** An open team, as the rest of the session sees it. */
export class OpenTeam {
  readonly #forget: () => void;
  readonly #panes: SessionPanes;
  /** Names whose start has not come to its end, in lower case. */
  readonly #starting = new Set<string>();
  #lastPane: Promise<unknown> = Promise.resolve();
  #unfollow: () => void = () => {};

  constructor(
    private readonly parts: TeamParts,
    readonly crew: SessionCrew,
  ) {
    this.#panes = new SessionPanes({
      ...{ kernel: parts.kernel, office: crew.office, agents: crew.agents },
      changed: () => crew.changed(),
      askToEnd: (name, reason) => this.#askToEnd(name, reason),
      lost: (name, reason) => this.#tellLost(name, reason),
    });
    crew.resumePane = (member) => this.#panes.resume(member);
    this.#forget = parts.kernel.events.listen((event) => {
      if (event.agentId !== null) return;
      crew.own.member.note(event);
      if (event.type === 'mode_changed' && !crew.membership)
        crew.own.claim.update({ permissionMode: event.permissionMode });
      crew.membership?.note(event);
      if (!crew.membership && (event.type === 'run_started' || event.type === 'run_ended'))
        crew.noteLead(event.type === 'run_started');
    });
    crew.changed();
  }

  get name(): string {
    return this.crew.office.name;
  }

  async #askToEnd(name: string, reason: string): Promise<Result<void>> {
    const { office, own } = this.crew;
    const toIncarnation = office.members.findIncarnation(name) ?? '';
    const draft = { to: name, toIncarnation, kind: 'shutdown_request' as const, text: reason };
    const sent = await office.send(own, draft);
    return sent.ok ? ok(undefined) : sent;
  }

  /** Its leader would wait for a member that never comes. */
  #tellLost(name: string, reason: string): void {
    const { members } = this.crew.office;
    members.want(name, 'ended');
    const member = members.read(name);
    if (!member) return;
    if (member.state === 'suspended') members.conclude(name, reason);
    this.crew.losses.noteLost(member, reason);
    this.crew.changed();
  }

  openSeat(name: string): TeamSeat {
    return {
      start: async (request, { signal }) => {
        const refusal = this.#refuseName(name);
        if (refusal !== undefined) return errorResult(refusal);
        const key = name.toLowerCase();
        this.#starting.add(key);
        try {
          return await this.#start(name, request, signal);
        } finally {
          this.#starting.delete(key);
        }
      },
    };
  }

  async #start(name: string, request: AgentRequest, signal: AbortSignal): Promise<ToolResult> {
    const lead = this.crew.agents.roster.find(null);
    if (!lead) return errorResult('The session is not open.');
    const place = this.#panes.choose();
    if (!place.ok) return errorResult(sayProblem(place.problem));
    const { value: type } = place;
    if (type !== 'in-process') {
      // One after the other: each pane takes its place beside those that are open.
      const before = this.#lastPane;
      const started = before.then(() => this.#startInPane(type, name, request, { lead, signal }));
      this.#lastPane = started;
      return started;
    }
    const started = await startTeammate(this.crew, lead, name, request, signal);
    if (!started.ok) return errorResult(sayProblem(started.problem));
    this.#enter(name, started.value);
    return this.#describeStart(name, request.prompt, started.value);
  }

  async #startInPane(
    type: PaneType,
    name: string,
    request: AgentRequest,
    caller: { lead: LiveAgent; signal: AbortSignal },
  ): Promise<ToolResult> {
    const started = await this.#panes.start(type, name, request, caller);
    if (!started.ok) return errorResult(sayProblem(started.problem));
    this.crew.changed();
    return textResult(
      `${name}@${this.name} starts in a pane (${type}). It reports to you by mail: do not wait or poll.`,
      {
        ...{
          status: 'teammate_spawned',
          agentId: started.value,
          name,
          team_name: this.name,
          prompt: request.prompt,
        },
      },
    );
  }

  #refuseName(name: string): string | undefined {
    const { members } = this.crew.office;
    const refused = `"${visibleLine(name, 64)}" cannot be the name of a teammate`;
    if (isReservedName(name)) return `${refused}: it is reserved.`;
    if (!isMemberName(name))
      return `${refused}: expected letters, digits, "-", "_" and ".", starting with a letter.`;
    const record = members.read(name);
    if ((record && isOpening(record)) || this.#starting.has(name.toLowerCase()))
      return `A teammate ${name} starts already. Write to it with SendMessage.`;
    if (!members.isAlive(name)) return undefined;
    return `There is a teammate ${name} already (${members.read(name)?.state}). Write to it with SendMessage, or choose another name.`;
  }

  #enter(name: string, { teammate }: StartedTeammate): void {
    this.crew.teammates.set(name, teammate);
    this.crew.changed();
  }

  #describeStart(name: string, prompt: string, { spec, teammate, handle }: StartedTeammate): ToolResult {
    const text = [
      ...spec.notes,
      `${teammate.address} has started. It reports to you by mail when it has finished or needs you: do not wait or poll.`,
    ].join('\n\n');
    return textResult(text, {
      ...{ status: 'teammate_spawned', agentId: spec.id, taskId: handle.id, name, team_name: this.name },
      ...{
        color: teammate.colour,
        resolvedModel: spec.engine.model.id,
        prompt,
        outputFile: handle.outputFile,
      },
    });
  }

  proposeName(type: string | undefined): string {
    const base = type && isMemberName(type) ? type : 'teammate';
    for (let number = 1; ; number++) {
      const name = `${base}-${number}`;
      if (!this.crew.office.members.read(name)) return name;
    }
  }

  send(sending: Sending): Promise<ToolResult> | undefined {
    return sendMail(this.crew, sending);
  }

  askPlan(...[agentId, plan, signal]: Parameters<Teams['askPlan']>): ReturnType<Teams['askPlan']> {
    if (agentId === null) return this.crew.membership?.askPlan(plan, signal);
    for (const teammate of this.crew.teammates.values())
      if (teammate.agentId === agentId) return teammate.askPlan(plan, signal);
    return undefined;
  }

  listAddresses(agentId: string | null): string[] {
    const own = this.crew.office.findByAgent(agentId);
    if (!own) return [];
    return this.crew.office.listMembers().flatMap(({ name }) => (name === own.claim.name ? [] : [name]));
  }

  describeMembers(except: string): string {
    const { members, name } = this.crew.view();
    const others = members.filter((member) => member.name !== except).map(describeMember);
    const { description } = this.crew.office.record;
    return [
      `The team ${name}${description ? ` (${visibleLine(description, 300)})` : ''} when you joined:`,
      ...others,
      `Shared notes of the team are in ${this.crew.office.place.memory}.`,
    ].join('\n');
  }

  async end(how: { force: boolean; signal: AbortSignal }): Promise<Result<TeamAnswer>> {
    const { crew } = this;
    if (crew.membership) return usage(`Only the leader of ${this.name} ends it.`);
    this.#unfollow();
    const done = await shutDownAll(crew, this.#panes, how);
    const { agreed, stopped, refused } = done;
    if (refused.length > 0) {
      this.followMail();
      return usage(
        `The team ${this.name} keeps running: ${refused.join('; ')}.`,
        'Settle that with SendMessage, or use TeamDelete with force.',
      );
    }
    await this.#panes.clear();
    const { machine, clock } = this.parts.kernel.place;
    const ended = endTeam(crew.office.place, machine, clock);
    if (!ended.ok) return ended;
    this.#leave('ended');
    this.parts.kernel.events.tell({ type: 'team_changed', team: undefined });
    return ok({
      text: `The team ${this.name} has ended. ${describeShutdown(done, how)}`.trim(),
      data: { team_name: this.name, members: [...agreed, ...stopped.map(({ name }) => name)], stopped },
    });
  }

  async resumeMembers(): Promise<void> {
    const { crew } = this;
    if (crew.membership) return;
    await resumeMembers(crew, this.#panes, (name, reason) => this.#tellLost(name, reason));
    this.followMail();
  }

  /** From here on mail of other processes resumes members that have ended. */
  followMail(): void {
    this.#noteMode();
    this.#unfollow = followWaitingMail(this.crew);
  }

  /** Where teammates in panes look for it. */
  #noteMode(): void {
    const mode = this.crew.agents.roster.find(null)?.context.permissions.mode;
    if (mode !== undefined) this.crew.own.claim.update({ permissionMode: mode });
  }

  #leave(state: 'ended' | 'suspended', reason?: string): void {
    this.#forget();
    this.#unfollow();
    this.#panes.close();
    this.crew.leave(state, reason);
  }

  /** `isPassed`: another process has the session, and with it the team. */
  close(isPassed = false): void {
    const { options, place } = this.parts.kernel;
    if (this.crew.membership) {
      const { membership, own, office } = this.crew;
      if (!isPassed) office.members.want(own.claim.name, 'ended');
      this.#leave('ended', membership.end ? explainEnd(membership.end, undefined) : closedReason);
      return;
    }
    // Nothing of the session is kept, so nobody could go on with its team.
    if (options.persist === false && !isPassed) endTeam(this.crew.office.place, place.machine, place.clock);
    this.#leave(options.persist === false ? 'ended' : 'suspended');
  }
}
