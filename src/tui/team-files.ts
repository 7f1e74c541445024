import { dirname, join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { systemMachine } from '../lib/machine.ts';
import { createSessionLayout } from '../store/layout.ts';
import { openBoard } from '../team/board/board.ts';
import { listMail } from '../team/mail/list-mail.ts';
import { locateTeam } from '../team/team-place.ts';
import { findSurroundings } from './commands/places.ts';
import type { Desk } from './desk.ts';

/** Shows what a team's files hold from before this screen: mail, and the items of the board. */
export function loadTeamFiles(desk: Desk): void {
  const { name } = desk.app.state.view.team;
  const { home } = findSurroundings(desk);
  const place = name === null ? undefined : locateTeam(home, name);
  const mail = place ? listMail(place, systemMachine) : undefined;
  const { transcriptPath, id } = desk.session.info();
  const directory =
    place?.board ??
    (transcriptPath === null
      ? undefined
      : join(createSessionLayout(dirname(transcriptPath), id).directory, 'board'));
  const items = directory === undefined ? [] : readItems(directory);
  desk.app.take({
    type: 'team_loaded',
    mail: mail?.ok ? mail.value : [],
    ...(items.length > 0 ? { board: { name: name ?? id, items } } : {}),
  });
  desk.app.flush();
}

/** Nothing is changed: claims that are void are shown as they are stored. */
function readItems(directory: string) {
  const board = openBoard({
    ...{ directory, machine: systemMachine, clock: systemClock, isShared: false },
    ...{ isAlive: () => true, told: () => {} },
  });
  try {
    return board.list();
  } finally {
    board.close();
  }
}
