import { type Clock, timestamp } from '../../lib/clock.ts';
import type { WaitEdge } from '../../protocol/index.ts';
import { findResting, listBoardWaits } from '../../team/board/board-waits.ts';
import { composeNote } from '../../team/member/letters.ts';
import { renderCircle } from '../../team/render-waits.ts';
import { collectWaits, trackCircles, type WaitCircle } from '../../team/waits.ts';
import type { SessionBoard } from '../board.ts';
import {
  listAsking,
  listLocalWaits,
  listRemoteWaits,
  openWaitTimes,
  storeWaits,
  type WaitingCrew,
} from './list-waits.ts';
import type { Losses } from './losses.ts';

/** The parts of a crew that are watched. */
interface WatchedCrew extends WaitingCrew {
  readonly clock: Clock;
  readonly losses: Losses;
  changed(): void;
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
  let leadWorks = false;
  const date = openWaitTimes(() => timestamp(clock));
  const dateLocal = () => date(listLocalWaits(crew));
  const collect = (local: readonly WaitEdge[]) =>
    collectWaits([
      () => listAsking(crew, leadWorks),
      () => local,
      () => listRemoteWaits(crew),
      () => listBoardWaits(board.current().list(), findResting(office.listMembers())),
    ]);
  let shown = '';
  const waits = () => {
    const edges = collect(dateLocal());
    shown = JSON.stringify(edges);
    return edges;
  };
  const look = () => {
    const local = dateLocal();
    storeWaits(crew, local);
    for (const circle of track(collect(local))) tellCircle(crew, circle);
    for (const teammate of crew.teammates.values()) if (teammate.silentMs() > stuckMs) teammate.noteStuck();
    for (const member of office.listMembers())
      if (member.state === 'dead' && (member.kind === 'pane' || member.kind === 'session'))
        crew.losses.noteDead(member);
  };
  let cancel = () => {};
  const wait = () => {
    cancel = clock.after(
      heartbeatMs,
      () => {
        look();
        if (JSON.stringify(collect(dateLocal())) !== shown) crew.changed();
        wait();
      },
      'in the background',
    );
  };
  wait();
  // A question that is asked or answered changes no member's state.
  const forget = kernel.questions.approvals.hub.subscribe(() => crew.changed());
  return {
    waits,
    look,
    noteLead(isWorking) {
      leadWorks = isWorking;
      if (!isWorking) look();
    },
    stop() {
      cancel();
      forget();
    },
  };
}

function tellCircle({ kernel }: WatchedCrew, circle: WaitCircle): void {
  const text = `Nobody can go on: ${renderCircle(circle)}`;
  kernel.events.tell({ type: 'circle_found', edges: [...circle.edges] });
  kernel.events.warn(text);
  kernel.inbox.post(composeNote(`${text} Write to one of them to resolve it.`));
}
