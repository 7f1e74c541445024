import { dirname, join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { systemMachine } from '../lib/machine.ts';
import type { MailMessage, MailState } from '../protocol/index.ts';
import { createSessionLayout } from '../store/layout.ts';
import { openBoard } from '../team/board/board.ts';
import { MailList } from '../team/mail/list-mail.ts';
import { locateTeam } from '../team/team-place.ts';
import { findSurroundings } from './commands/places.ts';
import type { Desk } from './desk.ts';

/** How often the mail is looked at while it is on the screen. */
const lookMs = 2_000;

/**
 * Shows what is in a team's files from before this screen: the items of its board, and while `/team` is open its mail, also that between
 * other processes, of which this one hears nothing.
 */
export function followTeamFiles(desk: Desk): void {
  const { app } = desk;
  let follower: MailFollower | undefined;
  let known: string | null = null;
  const look = () => {
    const { panel, view } = app.state;
    const { name } = view.team;
    if (panel?.kind !== 'team' || name === null) {
      follower = undefined;
      return;
    }
    if (follower?.name !== name) follower = new MailFollower(findSurroundings(desk).home, name);
    const mail = follower.listNews();
    if (mail.length > 0) app.take({ type: 'team_loaded', mail });
    app.clock.after(lookMs, look, 'in the background');
  };
  app.subscribe(() => {
    const { name } = app.state.view.team;
    const isNew = name !== null && name !== known;
    known = name;
    if (isNew) loadBoardFiles(desk);
    if (!follower && app.state.panel?.kind === 'team') look();
  });
}

class MailFollower {
  readonly #list: MailList;
  /** The last known state of each message. */
  readonly #told = new Map<string, MailState>();

  constructor(
    home: string,
    readonly name: string,
  ) {
    this.#list = new MailList(locateTeam(home, name), systemMachine);
  }

  listNews() {
    const mail = this.#list.list();
    if (!mail.ok) return [];
    const name = ({ to, id }: MailMessage) => `${to} ${id}`;
    const news = mail.value.filter(({ message, state }) => this.#told.get(name(message)) !== state);
    for (const { message, state } of news) this.#told.set(name(message), state);
    return news;
  }
}

/** Shows the items of the board from before this screen. */
export function loadBoardFiles(desk: Desk): void {
  const { name } = desk.app.state.view.team;
  const { transcriptPath, id } = desk.session.info();
  const directory =
    name !== null
      ? locateTeam(findSurroundings(desk).home, name).board
      : transcriptPath === null
        ? undefined
        : join(createSessionLayout(dirname(transcriptPath), id).directory, 'board');
  const items = directory === undefined ? [] : readItems(directory);
  if (items.length === 0) return;
  desk.app.take({ type: 'team_loaded', mail: [], board: { name: name ?? id, items } });
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
