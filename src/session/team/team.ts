import type { AgentKernel } from '../../agents/kernel.ts';
import type { SeatWish, TeamSeat, Teams } from '../../agents/teams.ts';
import { sleep } from '../../lib/clock.ts';
import { isThere } from '../../lib/files/small-files.ts';
import { leaseMs } from '../../lib/leases/lease.ts';
import { formatError, ok, type Result, usage } from '../../lib/result.ts';
import { remind } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { leaderName, type MailMessage, type TeamView } from '../../protocol/index.ts';
import { fillSection } from '../../settings/environment.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import { locateTeams } from '../../team/team-place.ts';
import { type TeamAnswer, type TeamDesk, teamTools } from '../../team/tools/team-tools.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionFeature } from '../opening.ts';
import type { TeamParts } from './crew.ts';
import type { OwnMode } from './follow-mode.ts';
import type { OpenTeam } from './open-team.ts';
import { describeTeam, teamStep } from './team-step.ts';

/** The session's team, for its surfaces. */
export interface SessionTeam {
  view(): TeamView | undefined;
  create(team: { name: string; description?: string | undefined }): Promise<Result<TeamAnswer>>;
  end(how: { force: boolean; signal: AbortSignal }): Promise<Result<TeamAnswer>>;
  /** Resolves when members of an earlier process run again. */
  resumed(): Promise<void>;
}

/**
 * The team that the session leads. Most sessions lead none: what a team needs is loaded when one is created, or when a session
 * that leads one is opened again. The tools are the same in any case.
 */
export function teamFeature(agents: AgentKernel, shared: Shared): SessionFeature<{ team: SessionTeam }> {
  return {
    name: 'team',
    open(kernel) {
      const desk = new LateTeam(kernel, agents, shared);
      kernel.questions.grants.give('session', null, kernel.options.teamPart?.grants ?? []);
      return {
        team: desk,
        teams: desk,
        drivingTools: teamTools(desk),
        promptParts: describeOwnPart(kernel.options.teamMember),
        agentSteps: [teamStep(() => desk.opened)],
        ready() {
          // Once its members have ended, so that the process that has the session can take their leases.
          kernel.claim.onLost(
            ({ message }) => void kernel.tasks.killAll(message).then(() => desk.close(true)),
          );
          desk.resume();
        },
        close: ({ isPassed }) => desk.close(isPassed),
      };
    },
  };
}

/** A lead that is a member of another session's team knows so from its first request on. */
function describeOwnPart(address: string | undefined): string[] {
  const [name, team] = address?.split('@', 2) ?? [];
  return name !== undefined && team !== undefined ? [describeTeam(name, team)] : [];
}

const continued =
  'The process that ran you has ended, and you continue in a new one. A call without a result may have had an effect: look before you repeat it.';

/** What a team replaces while it is open. */
type Shared = Pick<TeamParts, 'board' | 'memory' | 'leases'> & { readonly ownMode: OwnMode };

const retryMs = 1_000;

class LateTeam implements Teams, TeamDesk, SessionTeam {
  #open: OpenTeam | undefined;
  #isBusy = false;
  #isLeadWorking = false;
  /** The team that could not be had: whoever starts an agent by name now means a teammate. */
  #missed: string | undefined;
  #isClosed = false;
  #unfollowMode: () => void = () => {};
  #resuming: Promise<void> = Promise.resolve();

  constructor(
    private readonly kernel: Kernel,
    private readonly agents: AgentKernel,
    private readonly shared: Shared,
  ) {
    kernel.events.listen(({ agentId, type }) => {
      if (agentId === null && (type === 'run_started' || type === 'run_ended'))
        this.#isLeadWorking = type === 'run_started';
    });
  }

  get opened(): OpenTeam | undefined {
    return this.#open;
  }

  view(): TeamView | undefined {
    return this.#open?.crew.view();
  }

  resumed(): Promise<void> {
    return this.#resuming;
  }

  async create(team: { name: string; description?: string | undefined }): Promise<Result<TeamAnswer>> {
    const created = await this.#create(team);
    this.#missed = created.ok || this.#open ? undefined : team.name;
    return created;
  }

  async #create(team: { name: string; description?: string | undefined }): Promise<Result<TeamAnswer>> {
    const refusal = this.#explainNoTeam();
    if (refusal !== undefined) return usage(refusal);
    if (this.#open?.crew.membership)
      return usage(`This session is a member of the team ${this.#open.name}, and cannot lead another.`);
    if (this.#open || this.#isBusy)
      return usage(
        `This session already leads the team ${this.#open?.name ?? team.name}.`,
        'End it with TeamDelete first, or use it.',
      );
    this.#isBusy = true;
    try {
      const { createOpenTeam } = await import('./open-team.ts');
      const opened = await createOpenTeam(this.#parts, team);
      if (!opened.ok) return opened;
      this.#open = opened.value;
      const { name } = opened.value;
      return ok({
        text: `You lead the team ${name}; your address is team-lead. Start teammates with Agent and name.`,
        data: { team_name: name, lead: 'team-lead' },
      });
    } finally {
      this.#isBusy = false;
    }
  }

  async end(how: { force: boolean; signal: AbortSignal }): Promise<Result<TeamAnswer>> {
    const team = this.#open;
    if (!team) return usage('This session leads no team.');
    const ended = await team.end(how);
    if (ended.ok) this.#open = undefined;
    return ended;
  }

  async list(agentId: string | null): Promise<TeamAnswer> {
    const { listAgents } = await import('./list-agents.ts');
    return listAgents(this.agents, this.#open?.crew, agentId);
  }

  findSeat({ context }: Parameters<Teams['findSeat']>[0], wish: SeatWish): Result<TeamSeat | undefined> {
    const { teamName, name, isolation, type } = wish;
    const team = this.#open;
    const isLead = context.agentId === null;
    if (teamName === undefined) {
      const isMeant =
        team &&
        isLead &&
        !team.crew.membership &&
        name !== undefined &&
        isolation === undefined &&
        type !== 'fork';
      if (!team && isLead && name !== undefined && this.#missed !== undefined)
        return usage(
          `The team ${visibleLine(this.#missed, 64)} was not created, so ${visibleLine(name, 64)} would be a sub-agent and not a teammate.`,
          'Create the team with TeamCreate first, or leave out name to start a sub-agent.',
        );
      return ok(isMeant ? team.openSeat(name) : undefined);
    }
    const leads = isLead && !team?.crew.membership;
    const refusal = leads ? this.#explainNoTeam() : 'Only the leader of a team starts teammates.';
    if (refusal !== undefined) return usage(refusal);
    if (!team)
      return usage(
        `There is no team ${visibleLine(teamName, 64)} in this session.`,
        'Create it with TeamCreate first.',
      );
    if (team.name !== teamName)
      return usage(`This session leads the team ${team.name}, not ${visibleLine(teamName, 64)}.`);
    if (type === 'fork') return usage('A fork cannot be a teammate.', 'Name another subagent_type.');
    return ok(team.openSeat(name ?? team.proposeName(type)));
  }

  send(sending: Parameters<Teams['send']>[0]): ReturnType<Teams['send']> {
    return this.#open?.send(sending);
  }

  askPlan(...asked: Parameters<Teams['askPlan']>): ReturnType<Teams['askPlan']> {
    const byUser = this.kernel.options.teamPart?.userApprovesPlans === true || this.#isLeaderPlanning;
    return this.#settings.planApproval === 'leader' && !byUser ? this.#open?.askPlan(...asked) : undefined;
  }

  /** A leader that plans cannot let others out of it. */
  get #isLeaderPlanning(): boolean {
    const crew = this.#open?.crew;
    return !!crew?.membership && crew.office.members.read(leaderName)?.permissionMode === 'plan';
  }

  listAddresses(agentId: string | null): string[] {
    return this.#open?.listAddresses(agentId) ?? [];
  }

  /** Only a session that was there before can lead a team already. */
  resume(): void {
    const { identity, tape, place, options } = this.kernel;
    if (options.teamMember !== undefined && !tape) {
      this.#resuming = this.#join(options.teamMember);
      return;
    }
    if (!identity.goesOn || tape || !isThere(locateTeams(place.home), place.machine.disk)) return;
    this.#resuming = this.#resume().catch((error) =>
      this.kernel.events.warn(`The team of this session is not open: ${formatError(error)}`),
    );
  }

  async #join(address: string): Promise<void> {
    const { events, inbox, options, place } = this.kernel;
    const [{ joinOpenTeam }, { takeTask }] = await Promise.all([
      import('./open-team.ts'),
      import('./take-task.ts'),
    ]);
    const [name = '', team = ''] = address.split('@', 2);
    const endSession = (reason: string) => {
      this.close();
      events.warn(`You are no longer in the team ${team}: ${reason}.`);
      options.onTeamEnd?.(reason);
    };
    const { teamPart: part } = options;
    const task = part?.task;
    const kind = part ? 'pane' : 'session';
    const opened = joinOpenTeam(this.#parts, team, { name, kind, endSession });
    if (!opened.ok) {
      const { message, hint } = opened.problem;
      events.warn(`This session is not in the team ${team}: ${hint ? `${message} ${hint}` : message}`);
      options.onTeamEnd?.(message);
      return;
    }
    this.#open = opened.value;
    const { office } = opened.value.crew;
    if (part) {
      const { followLeaderMode } = await import('./follow-mode.ts');
      this.#unfollowMode = followLeaderMode({ kernel: this.kernel, office, own: this.shared.ownMode, part });
    }
    const isResumed = part !== undefined && this.kernel.identity.goesOn;
    // With mail that waits it has something to do.
    if (isResumed && inbox.isEmpty() && task === undefined)
      opened.value.crew.own.claim.update({ state: 'idle' });
    const around = opened.value.describeMembers(name);
    const snapshot = remind(isResumed ? `${continued}\n\n${around}` : around);
    const told = {
      ...{ delivery: 'queue' as const, origin: { kind: 'harness' as const }, isQuiet: true },
      ...{ content: [{ type: 'text' as const, text: snapshot }], uuid: place.ids.uuid() },
    };
    inbox.postQuietly(told);
    if (task === undefined) return;
    takeTask(this.kernel, { team: office.place, name }, { task, uuid: part?.taskUuid });
  }

  async #resume(): Promise<void> {
    const { resumeOpenTeam } = await import('./open-team.ts');
    const { claim, place } = this.kernel;
    let opened = resumeOpenTeam(this.#parts);
    // A paused process claimed its seat in the team later than its session, and may hold it for a little longer.
    for (let waited = 0; claim.takenFrom !== undefined && opened?.ok === false && waited < leaseMs; ) {
      if (this.#isClosed) return;
      await sleep(place.outside.clock, retryMs);
      waited += retryMs;
      opened = resumeOpenTeam(this.#parts);
    }
    if (!opened) return;
    if (!opened.ok)
      return this.kernel.events.warn(`The team of this session is not open. ${opened.problem.message}`);
    this.#open = opened.value;
    await opened.value.resumeMembers();
  }

  close(isPassed = false): void {
    this.#isClosed = true;
    this.#unfollowMode();
    this.#open?.close(isPassed);
    this.#open = undefined;
  }

  #explainNoTeam(): string | undefined {
    if (this.kernel.tape) return 'A session that is recorded or replayed cannot have a team.';
    if (!this.agents.settings.background)
      return 'A team needs background work, which is off in this session (setting agents.background).';
    return undefined;
  }

  /** If it does not end, the user who asked hears why. */
  readonly #endForUser = async ({ id, body }: MailMessage): Promise<void> => {
    const force = body?.force === true;
    const ended = await this.end({ force, signal: new AbortController().signal });
    if (ended.ok) return;
    const { message: text } = ended.problem;
    this.kernel.events.warn(text);
    const crew = this.#open?.crew;
    await crew?.office.send(crew.own, { to: 'user', kind: 'text', text, inReplyTo: id });
  };

  get #settings() {
    const { settings, environment } = this.kernel;
    return fillSection(settingsTable.teams.section, settings.teams, environment);
  }

  get #parts() {
    return {
      kernel: this.kernel,
      agents: this.agents,
      ...this.shared,
      shutdownSeconds: this.#settings.shutdownSeconds,
      isLeadWorking: () => this.#isLeadWorking,
      endTeam: (mail: MailMessage) => void this.#endForUser(mail),
    };
  }
}
