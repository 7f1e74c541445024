import { json } from './common-flags.ts';
import { repeated, text, toggle } from './flag.ts';

const boardFlags = {
  team: text('name', 'the board of this team', { completes: 'team' }),
  session: text('id', "this session's own board, in any directory", { completes: 'session' }),
  json,
};
const boardChangeFlags = {
  ...boardFlags,
  as: text('name', 'act as a program of this name, not as the user'),
};
const mailFlags = {
  team: text('name', 'the team; not needed where only one is open', { completes: 'team' }),
  as: text('name', 'as the program NAME (program:NAME) instead of the user'),
  json: toggle('print JSON, one object per line'),
};

/** Commands about teams, their boards and their mail. Part of `commandTable`. */
export const teamCommands = {
  team: { about: 'list, show, join and end teams', isGroup: true },
  'team list': {
    about: 'list teams with the number of their members',
    isDefault: true,
    flags: { all: toggle('include ended teams'), json },
  },
  'team show': {
    about: 'show the members of a team, with state and reason; without a name, of the only open team',
    takes: '[name]',
    completes: ['team'],
    flags: { json },
  },
  'team waits': {
    about: 'show who waits for whom or what; circles first',
    takes: '[name]',
    completes: ['team'],
    flags: { json },
  },
  'team join': {
    about: 'open a session that is a member of a team',
    takes: '[name]',
    completes: ['team'],
    flags: { as: text('name', 'the name of the member; session-1 and so on otherwise') },
  },
  'team end': {
    about: 'ask all members of a team to shut down, and end it',
    takes: '[name]',
    completes: ['team'],
    flags: { force: toggle('stop members that object; without a leader, close its panes') },
  },
  board: {
    about: 'show and change the shared board of a team, or of the latest session of this directory',
    isGroup: true,
  },
  'board list': {
    about: 'list items with state, owner and blockers',
    isDefault: true,
    flags: { ...boardFlags, all: toggle('include completed items') },
  },
  'board ready': { about: 'list items that nothing blocks and no agent has', flags: boardFlags },
  'board show': {
    about: 'show one item in full',
    takes: '<id>',
    completes: ['board-item'],
    flags: boardFlags,
  },
  'board add': {
    about: 'add an item',
    takes: '<subject>',
    flags: {
      ...boardChangeFlags,
      description: text('text', 'what is to be done'),
      owner: text('name', 'assign it to this member', { completes: 'member' }),
      blockedBy: repeated('id', 'an item that must be done before', { completes: 'board-item' }),
      blocks: repeated('id', 'an item that must wait for it', { completes: 'board-item' }),
      parent: text('id', 'the item that it is part of', { completes: 'board-item' }),
    },
  },
  'board claim': {
    about: 'begin an item, so that no agent takes it',
    takes: '<id>',
    completes: ['board-item'],
    flags: { ...boardChangeFlags, release: toggle('give it back instead') },
  },
  'board done': {
    about: 'complete an item',
    takes: '<id>',
    completes: ['board-item'],
    flags: boardChangeFlags,
  },
  'board graph': { about: 'show which items wait for which', flags: boardFlags },
  mail: { about: 'send and read mail of a team', isGroup: true },
  'mail send': {
    about:
      'send a message to a member, to program:NAME, or to * for all members; without text it is read from stdin',
    takes: '<to> [text...]',
    completes: ['member', undefined],
    flags: {
      ...mailFlags,
      summary: text('text', 'the message in a few words'),
      replyTo: text('id', 'the message that it answers'),
      awaitAnswer: toggle('say that you wait for an answer'),
    },
  },
  'mail read': {
    about: 'print mail: of all boxes, or of one; mail in your own box (user, or --as) then counts as read',
    takes: '[box]',
    completes: ['member'],
    flags: mailFlags,
  },
  'mail watch': {
    about: 'print mail as it comes until interrupted',
    takes: '[box]',
    completes: ['member'],
    flags: mailFlags,
  },
  'mail status': {
    about: 'print whether a message is written, delivered or read; without an id, what is in each box',
    takes: '[id]',
    flags: { team: mailFlags.team, json: mailFlags.json },
  },
} as const;
