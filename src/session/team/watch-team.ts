import { type Clock, timestamp } from '../../lib/clock.ts';
import { leaderName, type WaitEdge } from '../../protocol/index.ts';
import { listBlockers } from '../../team/board/links.ts';
import { composeNote } from '../../team/member/letters.ts';
import type { Member } from '../../team/member/member.ts';
import type { Teammate } from '../../team/member/teammate.ts';
import { renderCircle } from '../../team/render-waits.ts';
import { collectWaits, trackCircles, type WaitCircle } from '../../team/waits.ts';
import type { SessionBoard } from '../board.ts';
import type { Kernel } from '../kernel.ts';
import type { Crew } from './teammates.ts';

/** The parts of a crew that are watched. */
interface WatchedCrew extends Pick<Crew, 'office' | 'agents'> {
  readonly clock: Clock;
  readonly kernel: Kernel;
  readonly own: { readonly member: Member };
  readonly teammates: ReadonlyMap<string, Teammate>;
}

/** A circle is named within this time, also where no event tells of it. */
const heartbeatMs = 10_000;

/** A teammate that works and gives no sign of life for so long is shown as stuck. */
const stuckMs = 120_000;

export interface TeamWatch {
  /** Who waits for whom or what now. */
  waits(): WaitEdge[];
  /** Looks now: something has changed. */
  look(): void;
  /** Whether the leader's own agent works. */
  noteLead(isWorking: boolean): void;
  stop(): void;
}

/** Looks after a team: tells members that are stuck or dead, and circles of waiting, once each. */
export function watchTeam(crew: WatchedCrew, board: SessionBoard): TeamWatch {
  const { clock, kernel, office } = crew;
  const track = trackCircles();
  const told = new Set<string>();
  let leadWorks = false;
  const waits = () =>
    collectWaits([
      () => (leadWorks ? [] : listAsked(crew.own.member)),
      () => [...crew.teammates.values()].flatMap((teammate) => listWaits(crew, teammate)),
      () => listItemWaits(crew, board),
    ]);
  const look = () => {
    for (const circle of track(waits())) tellCircle(crew, circle);
    for (const teammate of crew.teammates.values()) if (teammate.silentMs() > stuckMs) teammate.noteStuck();
    for (const { name, kind, state, incarnation } of office.listMembers()) {
      const isNews = state === 'dead' && (kind === 'pane' || kind === 'session') && !told.has(incarnation);
      if (!isNews) continue;
      told.add(incarnation);
      const text = `The teammate ${name} has died: its process is gone. What it was doing is cut off.`;
      kernel.events.warn(text);
      kernel.inbox.post(composeNote(text));
    }
  };
  let cancel = () => {};
  const wait = () => {
    cancel = clock.after(
      heartbeatMs,
      () => {
        look();
        wait();
      },
      'in the background',
    );
  };
  wait();
  return {
    waits,
    look,
    noteLead(isWorking) {
      leadWorks = isWorking;
      if (!isWorking) look();
    },
    stop: () => cancel(),
  };
}

function listAsked(member: Member): WaitEdge[] {
  return member.listAsked().map(({ to, since, about }) => ({
    ...{ from: member.name, to, kind: 'mail', since },
    what: `an answer of ${to}: ${about.slice(0, 100)}`,
  }));
}

function listWaits({ clock, agents }: WatchedCrew, teammate: Teammate): WaitEdge[] {
  const since = timestamp(clock);
  const { name: from, member, agentId } = teammate;
  const task = agentId === undefined ? undefined : agents.tasks.view(agentId);
  return [
    ...(teammate.isResting ? listAsked(member) : []),
    ...(teammate.isAsking
      ? [
          {
            from,
            to: teammate.asksLeader ? leaderName : 'user',
            kind: 'approval' as const,
            what: 'an approval',
            since,
          },
        ]
      : []),
    ...(teammate.isQueued ? [{ from, to: 'slot', kind: 'slot' as const, what: 'a free slot', since }] : []),
    ...(task?.suspended
      ? [{ from, to: 'provider', kind: 'provider' as const, what: 'the reset of a limit', since }]
      : []),
  ];
}

/** An idle owner of a blocked item waits for whoever has the item that blocks it. */
function listItemWaits({ teammates }: WatchedCrew, board: SessionBoard): WaitEdge[] {
  const items = board.current().list();
  return items.flatMap((item): WaitEdge[] => {
    const { id, owner, subject, changedAt: since } = item;
    const what = `item ${id}: ${subject.slice(0, 80)}`;
    if (item.status === 'completed') return [];
    const blockers = listBlockers(items, id);
    const waiting = owner !== null && blockers.length > 0 && teammates.get(owner)?.isResting === true;
    return [
      ...blockers.map((one) => ({
        ...{ from: `item:${id}`, to: `item:${one.id}`, kind: 'item' as const, since },
        what: `item ${one.id}: ${one.subject.slice(0, 80)}`,
      })),
      ...(waiting ? [{ from: owner, to: `item:${id}`, kind: 'item' as const, what, since }] : []),
      ...(owner === null
        ? []
        : [{ from: `item:${id}`, to: owner, kind: 'item' as const, what: `its owner ${owner}`, since }]),
    ].filter(
      ({ from, to }) => from !== to && !(blockers.length > 0 && from === `item:${id}` && to === owner),
    );
  });
}

function tellCircle({ kernel }: WatchedCrew, circle: WaitCircle): void {
  const text = `Nobody can go on: ${renderCircle(circle)}`;
  kernel.events.tell({ type: 'circle_found', edges: [...circle.edges] });
  kernel.events.warn(text);
  kernel.inbox.post(composeNote(`${text} Write to one of them to resolve it.`));
}
