import { join } from 'node:path';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { memoryDisk } from '../lib/files/memory-disk.ts';
import { isThere } from '../lib/files/small-files.ts';
import { describeHookPlace } from '../loop/hook-place.ts';
import type { BoardItem } from '../protocol/index.ts';
import type { BoardActor } from '../team/board/apply-change.ts';
import { type Board, openBoard } from '../team/board/board.ts';
import { type BoardSeat, createBoardTools } from '../team/board/board-tools.ts';
import type { BoardListener } from '../team/board/follow-board.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';

/** A team's board, as the session's team hands it in. */
export interface TeamBoard extends BoardListener {
  /** The team's name. */
  readonly name: string;
  readonly directory: string;
  /** How an agent of this session appears on the board. */
  findActor(agentId: string | null): BoardActor;
  /** Names that items can be given to. */
  listMembers?(): readonly string[];
  /** Whether this incarnation holds that member's address. */
  isAlive(member: string, incarnation: string): boolean;
  /** The incarnation that holds it. */
  findHolder?(member: string): string | undefined;
}

export interface SessionBoard {
  /** The team's board while a team is open, else the session's own. */
  current(): Board;
  /** How an agent of this session appears on the current board. */
  findActor(agentId: string | null): BoardActor;
  /** From now on the tools use the team's board; replaces an earlier team's. */
  joinTeam(team: TeamBoard): void;
  /** Back to the session's own board. */
  leaveTeam(): void;
}

/** The shared list of items: of the session's team, or of a lead without one. Nothing is read or made before it is used. */
export function boardFeature(): SessionFeature<SessionBoard> {
  return {
    name: 'board',
    open(kernel) {
      const desk = new BoardDesk(kernel);
      return {
        current: () => desk.current(),
        findActor: (agentId) => desk.place().findActor(agentId),
        joinTeam: (team) => desk.move(team),
        leaveTeam: () => desk.move(undefined),
        tools: createBoardTools(({ agentId }) => desk.takeSeat(agentId)),
        ready: () => desk.watchExisting(),
        close: () => desk.close(),
      };
    },
  };
}

/** The lead of a session without a team. Other agents know it by this name. */
const leadName = 'main';

class BoardDesk {
  readonly #own: TeamBoard;
  #team: TeamBoard | undefined;
  #open: { board: Board; stop(): void } | undefined;

  constructor(private readonly kernel: Kernel) {
    this.#own = describeOwnBoard(kernel);
  }

  place(): TeamBoard {
    return this.#team ?? this.#own;
  }

  current(): Board {
    this.#open ??= this.#openCurrent();
    return this.#open.board;
  }

  takeSeat(agentId: string | null): BoardSeat {
    const { findActor, listMembers } = this.place();
    const actor = findActor(agentId);
    return {
      board: this.current(),
      actor,
      members: listMembers?.(),
      findObjection: (event, item) => this.#askHooks(agentId, actor, event, item),
    };
  }

  move(team: TeamBoard | undefined): void {
    this.close();
    this.#team = team;
    if (team) this.current();
  }

  /** Changes by other processes are of interest only where there is a board already. */
  watchExisting(): void {
    const { place, tape } = this.kernel;
    if (!tape && isThere(join(this.place().directory, 'items'), place.machine.disk)) this.current();
  }

  close(): void {
    this.#open?.stop();
    this.#open = undefined;
  }

  #openCurrent(): { board: Board; stop(): void } {
    const { place, events, tape, options } = this.kernel;
    const { name, directory, isAlive, findHolder, changed, unblocked } = this.place();
    const isKept = options.persist !== false;
    const isOwn = this.#team === undefined;
    const board = openBoard({
      directory,
      machine: isKept || !isOwn ? place.machine : { ...place.machine, disk: memoryDisk() },
      clock: place.outside.clock,
      ...{ isAlive, findHolder },
      told: (problem) => events.warnOnce(problem),
      isShared: isKept || !isOwn,
    });
    // Others of the team may be the first to add something. If it cannot be made, the first item says why.
    if (!isOwn) ensurePrivateDirectory(join(directory, 'items'), place.machine.disk);
    // With a tape nothing may happen that is not a tool's result.
    if (tape) return { board, stop: () => board.close() };
    const stop = board.watch({
      changed(item, before) {
        events.tell({ type: 'board_changed', board: name, item });
        changed?.(item, before);
      },
      unblocked: (item) => unblocked?.(item),
    });
    return { board, stop };
  }

  /** The hooks of the agent that makes the change. */
  async #askHooks(
    agentId: string | null,
    { name }: BoardActor,
    event: 'created' | 'completed',
    { id, subject, description }: Pick<BoardItem, 'id' | 'subject' | 'description'>,
  ): Promise<string | undefined> {
    const context = this.kernel.roster.find(agentId)?.context;
    const hooks = context?.hooks;
    const ask = event === 'created' ? hooks?.taskCreated : hooks?.taskCompleted;
    if (!context || !ask) return undefined;
    const about = this.#team ? { teammateName: name, teamName: this.#team.name } : {};
    return (await ask({ id, subject, description, ...about }, describeHookPlace(context))).refusal;
  }
}

/** Beside the transcript: a resumed session finds it again, and it is removed with the session. */
function describeOwnBoard({ id, identity, roster }: Kernel): TeamBoard {
  const findName = (agentId: string) => roster.names().find((name) => roster.resolve(name) === agentId);
  return {
    name: id,
    directory: join(identity.files.directory, 'board'),
    // The lead's claims last as long as its session, also when that is resumed.
    isAlive: (member, incarnation) => member === leadName || roster.find(incarnation) !== undefined,
    findActor: (agentId) =>
      agentId === null
        ? { name: leadName, incarnation: id, leads: true }
        : { name: findName(agentId) ?? agentId, incarnation: agentId },
  };
}
