import { expect, test } from 'bun:test';
import { type Machine, systemMachine } from '../../src/lib/machine.ts';
import type { MailState } from '../../src/protocol/index.ts';
import { Inbox } from '../../src/tasks/inbox.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { Member } from '../../src/team/member/member.ts';
import { type LocalMember, TeamOffice } from '../../src/team/office.ts';
import { loadTeam } from '../../src/team/team-record.ts';
import { facts, leadFacts, newTeam, value } from './support.ts';

/** Every reader notices mail as soon as its file is in place, as the system's watch may. */
function openOffice() {
  const placed: (() => void)[] = [];
  const machine: Machine = {
    ...systemMachine,
    disk: {
      ...systemMachine.disk,
      rename(path, target) {
        systemMachine.disk.rename(path, target);
        if (target.includes('/new/')) for (const notice of placed) queueMicrotask(notice);
      },
    },
  };
  const team = newTeam(machine);
  const moves: { id: string; state: MailState }[] = [];
  const office = value(
    TeamOffice.open({
      ...{
        place: team.place,
        record: value(loadTeam(team.place, machine)) ?? never(),
        machine,
        clock: team.clock,
      },
      moved: ({ id }, state) => void moves.push({ id, state }),
      warn: (text) => expect(text).toBe(''),
    }),
  );
  const enter = (name: string, about: typeof facts): LocalMember => {
    const claim = value(office.members.claim(name, about));
    const member = new Member({
      ...{ name, incarnation: claim.incarnation, box: value(office.openBox(claim)) },
      control: () => false,
      findAgent: () => undefined,
      moved: (mail, state) => office.noteMoved(mail, state),
      warn: (text) => expect(text).toBe(''),
    });
    const local = { claim, member, agentId: about.agentId };
    office.enter(local);
    member.attach({ inbox: new Inbox(), knows: () => false, keep: () => ({ ok: true, value: undefined }) });
    placed.push(() => member.deliver());
    return local;
  };
  const post = value(openPost(team.place, { machine, clock: team.clock }));
  return { office, post, moves, placed, lead: enter('team-lead', leadFacts), bob: enter('bob', facts) };
}

function never(): never {
  throw new Error('the team has no record');
}

test('TM4 that mail was written is told before that it was delivered, however soon its reader notices it', async () => {
  const { office, moves, lead } = openOffice();
  const { id } = value(await office.send(lead, { to: 'bob', kind: 'text', text: 'Hello.' }));
  expect(moves).toEqual([
    { id, state: 'written' },
    { id, state: 'delivered' },
  ]);
});

test('TM15 a question that is answered before its sender hears that it was sent is not waited for', async () => {
  const { office, post, placed, lead, bob } = openOffice();
  const question = { to: 'bob', kind: 'text' as const, text: 'How many?', awaitsAnswer: true };
  placed.push(() => {
    placed.length = 0;
    value(post.sendNow({ to: 'team-lead', kind: 'text', text: 'Forty-two.' }, bob.claim));
    lead.member.deliver();
  });
  value(await office.send(lead, question));
  expect(lead.member.listAsked()).toEqual([]);
});
