import { expect, test } from 'bun:test';
import { stripVTControlCharacters } from 'node:util';
import type { AgentEvent, MemberView } from '../../src/protocol/index.ts';
import type { Drawing } from '../../src/tui/drawing.ts';
import { emptyEditor } from '../../src/tui/editor/index.ts';
import { mailLines } from '../../src/tui/panels/mail-lines.ts';
import { rosterLines } from '../../src/tui/panels/roster-lines.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { emptyView, reduceAll, type View } from '../../src/view/index.ts';

const start = Date.UTC(2026, 0, 1, 12);
const drawing: Drawing = {
  ...{ width: 60, theme: makeTheme({ level: '256', attributes: true }), home: '/home/me', places: [] },
  ...{ now: start + 64_000, plain: false },
};
const lead = { agentId: null, parentToolUseId: null };

function member(name: string, more: Partial<MemberView> = {}): MemberView {
  return {
    ...{ name, kind: 'in-process', agentId: null, colour: 'green', state: 'idle', unread: 0, items: [] },
    ...{ stateSince: new Date(start).toISOString(), ...more },
  };
}

function see(members: MemberView[], ...more: AgentEvent[]): View {
  const changed: AgentEvent = { ...lead, type: 'team_changed', team: { name: 'crew', members } };
  return reduceAll(emptyView(), [changed, ...more], start);
}

const bare = (lines: readonly string[]) => lines.map(stripVTControlCharacters);

/** The rows below the prompt. */
const roster = (view: View, more: Partial<Drawing> = {}) =>
  rosterLines({ view, editor: emptyEditor(), columns: 100, rows: 40, now: 0 }, 20, { ...drawing, ...more });

test('a row has the state as sign and word, since when and why; the name alone has its own colour', () => {
  const view = see([
    member('team-lead', { kind: 'lead' }),
    member('alice', { state: 'waiting', reason: 'waits for an answer of bob', items: ['k7f2'], unread: 2 }),
    member('bo', { state: 'stuck', reason: 'no sign of life' }),
    member('gone', { state: 'ended' }),
  ]);
  const rows = roster(view, { width: 100 });
  expect(bare(rows)).toEqual([
    '  ◐ alice  waiting   1m 04s  waits for an answer of bob · item k7f2 · 2 unread',
    '  ▲ bo     stuck     1m 04s  no sign of life',
  ]);
});

test('of many teammates eight are shown, and how many there are', () => {
  const many = Array.from({ length: 20 }, (_, index) => member(`m${index}`));
  const rows = bare(roster(see(many)));
  expect(rows).toHaveLength(9);
  expect(rows.at(-1)).toBe('  1–8 of 20');
});

test('a screen reader hears words instead of signs and columns', () => {
  const view = see([member('alice', { reason: 'finished', unread: 1 })]);
  expect(bare(roster(view, { plain: true }))[0]).toBe('  alice: idle, 1m 04s, finished, 1 unread');
});

test('mail is a conversation: time, from whom to whom, summary, text, and what was not read; controls are written out', () => {
  const mail: AgentEvent = {
    ...{ ...lead, type: 'mail_moved', state: 'written' },
    mail: {
      ...{ format: 1, id: 'a', team: 'crew', from: 'alice', to: 'bob', kind: 'text', order: 1 },
      ...{ sentAt: new Date(start).toISOString(), summary: 'The port', text: 'Use 80.\u001b[2J\nNot 81.' },
    },
  };
  const { team } = see([member('alice'), member('bob')], mail);
  const { lines } = mailLines(team, 10, 0, drawing);
  expect(bare(lines).map((line) => line.replace(/^\d\d:\d\d/, '12:00'))).toEqual([
    '12:00  alice → bob · The port · not read yet',
    '       Use 80.␛[2J',
    '       Not 81.',
  ]);
});

test('a long conversation is shown from its end, and scrolls up to its beginning', () => {
  const sent = Array.from(
    { length: 30 },
    (_, index): AgentEvent => ({
      ...{ ...lead, type: 'mail_moved', state: 'read' },
      mail: {
        ...{ format: 1, id: `${index}`, team: 'crew', from: 'alice', to: 'bob', kind: 'text', order: index },
        ...{ sentAt: new Date(start + index).toISOString(), text: `Message ${index}.` },
      },
    }),
  );
  const { team } = see([member('alice'), member('bob')], ...sent);
  const end = mailLines(team, 4, 0, drawing);
  expect(bare(end.lines)[1]).toContain('Message 28.');
  expect(bare(end.lines)[3]).toContain('Message 29.');
  expect(end.above).toBe(28);
  expect(bare(mailLines(team, 4, 1_000, drawing).lines)[1]).toContain('Message 0.');
});
