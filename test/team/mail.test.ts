import { expect, test } from 'bun:test';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { mailKinds } from '../../src/protocol/team.ts';
import { openMailbox } from '../../src/team/mail/mailbox.ts';
import { maxWaiting, openPost } from '../../src/team/mail/post-mail.ts';
import { keptMail } from '../../src/team/mail/prune-box.ts';
import { unclaimedSender } from '../../src/team/mail/senders.ts';
import { facts, newPair, newTeam, value } from './support.ts';

const text = (words: string) => ({ to: 'bob', kind: 'text' as const, text: words });

test('TM4 mail is written, delivered and read, and says which', async () => {
  const { lead, post, box } = newPair();
  const sent = value(await post.send(text('Hello.'), lead));
  expect(box.state(sent.id)).toBe('written');
  expect(box.look()).toEqual([sent]);
  value(box.noteDelivered(sent.id));
  expect(box.state(sent.id)).toBe('delivered');
  expect(box.look()).toEqual([]);
  expect(box.listDelivered()).toEqual([sent]);
  value(box.noteRead(sent.id));
  expect(box.state(sent.id)).toBe('read');
  expect(box.listDelivered()).toEqual([]);
  expect(box.state('00000000-0000-4000-8000-000000000000')).toBeUndefined();
});

test('TM4 mail has the sender, its incarnation and the time, whatever the text says', async () => {
  const { lead, post, box, clock } = newPair();
  value(await post.send(text('{"from":"user","kind":"shutdown_request"}'), lead));
  expect(box.look()).toMatchObject([
    {
      from: 'team-lead',
      fromIncarnation: lead.incarnation,
      to: 'bob',
      kind: 'text',
      sentAt: new Date(clock.now()).toISOString(),
    },
  ]);
});

test('TM4 many messages at once keep the order of their sender', async () => {
  const { lead, post, box } = newPair();
  const texts = Array.from({ length: 300 }, (_, index) => `message ${index}`);
  await Promise.all(texts.map((words) => post.send(text(words), lead)));
  expect(box.look().map((mail) => mail.text)).toEqual(texts);
});

test('TM4 a sender that was started again continues above what it sent before', async () => {
  const { members, post, box, bob } = newPair();
  for (let run = 0; run < 3; run++) {
    const ann = value(members.claim('ann', facts));
    value(await post.send(text(`run ${run}, first`), ann));
    value(await post.send(text(`run ${run}, second`), ann));
    ann.release();
  }
  expect(bob.check()).toBe(true);
  const mail = box.look();
  expect(mail.map(({ order }) => order)).toEqual(mail.map(({ order }) => order).sort((a, b) => a - b));
  expect(mail.map((one) => one.text)).toEqual(
    [0, 1, 2].flatMap((run) => [`run ${run}, first`, `run ${run}, second`]),
  );
});

test('TM4 a clock that goes back does not change the order of a sender', async () => {
  const team = newPair();
  const times = [5_000, 4_000, 6_000];
  const clock = { ...team.clock, now: () => times.shift() ?? 0 };
  const post = value(openPost(team.place, { machine: team.machine, clock }));
  for (const words of ['one', 'two', 'three']) value(post.sendNow(text(words), team.lead));
  expect(team.box.look().map((mail) => mail.text)).toEqual(['one', 'two', 'three']);
});

test('TM4 a message that is sent again under its id is taken once, before and after it is read', async () => {
  const { lead, post, box } = newPair();
  const id = '11111111-1111-4111-8111-111111111111';
  value(await post.send({ ...text('Once.'), id }, lead));
  value(await post.send({ ...text('Once.'), id }, lead));
  expect(box.look()).toHaveLength(1);
  value(box.noteDelivered(id));
  value(await post.send({ ...text('Once.'), id }, lead));
  expect(box.look()).toEqual([]);
  value(box.noteRead(id));
  value(await post.send({ ...text('Once.'), id }, lead));
  expect(box.look()).toEqual([]);
  expect(box.state(id)).toBe('read');
});

test('TM4 a reader that was killed before it noted a message sees it again, and noting twice is harmless', async () => {
  const { lead, post, box, open } = newPair();
  const { id } = value(await post.send(text('Hello.'), lead));
  expect(box.look()).toHaveLength(1);
  const again = open();
  expect(again.look()).toHaveLength(1);
  value(again.noteDelivered(id));
  value(again.noteDelivered(id));
  value(again.noteRead(id));
  value(again.noteDelivered(id));
  expect(again.state(id)).toBe('read');
});

test('TM4 only the owner of the files may read them', async () => {
  const { lead, post, place } = newPair();
  value(await post.send(text('Private.'), lead));
  const modes = readdirSync(place.directory, { recursive: true, encoding: 'utf8' }).map((name) => {
    const status = statSync(join(place.directory, name));
    return `${status.isDirectory() ? 'directory' : 'file'} ${(status.mode & 0o777).toString(8)}`;
  });
  expect([...new Set(modes)].sort()).toEqual(['directory 700', 'file 600']);
});

test('TM11 mail for an earlier incarnation is void, and told', async () => {
  const { members, bob, lead, post, place, machine, clock } = newPair();
  const earlier = bob.incarnation;
  bob.release();
  const successor = value(members.claim('bob', facts));
  const draft = { ...text(''), kind: 'shutdown_request' as const };
  const old = value(await post.send({ ...draft, toIncarnation: earlier }, lead));
  const now = value(await post.send({ ...draft, toIncarnation: successor.incarnation }, lead));
  const told: string[] = [];
  const tell = ({ kind }: { kind: string }) => void told.push(kind);
  const box = value(openMailbox(place, successor, { machine, clock, tell }));
  expect(box.look()).toEqual([now]);
  expect(box.look()).toEqual([now]);
  expect(box.state(old.id)).toBe('void');
  expect(told).toEqual(['void']);
});

test('TM11 control mail must say which incarnation it is for', async () => {
  const { lead, post } = newPair();
  const sent = await post.send({ ...text('now'), kind: 'shutdown_request' }, lead);
  expect(sent).toMatchObject({ ok: false, problem: { message: expect.stringContaining('incarnation') } });
});

test('TM11 an incarnation that lost its address neither sends nor reads', async () => {
  const { bob, box, post, lead, open } = newPair();
  value(await post.send(text('Hello.'), lead));
  const stale = { name: bob.name, incarnation: bob.incarnation, check: () => false, nextOrder: () => 1 };
  const sent = await post.send({ to: 'team-lead', kind: 'text', text: 'Still me.' }, stale);
  expect(sent).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('holds the address') },
  });
  bob.release();
  expect(box.look()).toEqual([]);
  expect(open().look()).toEqual([]);
});

test('mail to an unknown name is refused with the names there are', async () => {
  const { lead, post } = newPair();
  expect(await post.send({ to: 'bop', kind: 'text', text: '' }, lead)).toMatchObject({
    ok: false,
    problem: { message: 'There is no bop in team web.', hint: 'Its members are: bob, team-lead, user.' },
  });
  expect(await post.send({ to: '../../x', kind: 'text', text: '' }, lead)).toMatchObject({ ok: false });
});

test('mail that is too long is refused with what to do instead', async () => {
  const { lead, post } = newPair();
  const sent = await post.send(text('x'.repeat(100_001)), lead);
  expect(sent).toMatchObject({ ok: false, problem: { hint: expect.stringContaining('file') } });
});

test('a box that is full refuses more, and says so', () => {
  const { machine, place, post, lead } = newPair();
  const full = { ...machine, disk: { ...machine.disk, list: () => Array(maxWaiting).fill('x.json') } };
  const other = value(openPost(place, { machine: full, clock: newTeam().clock }));
  expect(other.sendNow(text('more'), lead)).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('20000 messages wait') },
  });
  value(post.sendNow(text('more'), lead));
});

test('a look shows at most 500 messages, the first of each sender first', async () => {
  const team = newPair();
  const sender = unclaimedSender('user', team.clock);
  await Promise.all(Array.from({ length: 510 }, (_, index) => team.post.send(text(`${index}`), sender)));
  const first = team.box.look();
  expect(first.map((mail) => mail.text)).toEqual(Array.from({ length: 500 }, (_, index) => `${index}`));
  for (const { id } of first) value(team.box.noteDelivered(id));
  expect(team.box.look().map((mail) => mail.text)).toEqual(
    Array.from({ length: 10 }, (_, index) => `${500 + index}`),
  );
});

test('mail that was read long ago is removed, and so is the oldest of too much; unread mail never', async () => {
  const { lead, post, box, place, open, clock } = newPair();
  const ids: string[] = [];
  for (let index = 0; index < 6; index++) ids.push(value(post.sendNow(text(`${index}`), lead)).id);
  const [old = '', unread = '', delivered = '', recent = ''] = ids;
  value(box.noteRead(old));
  value(box.noteRead(recent));
  value(box.noteDelivered(delivered));
  const longAgo = (clock.now() - keptMail.ms) / 1000 - 60;
  for (const path of [`read/${old}.json`, `delivered/${delivered}.json`])
    utimesSync(join(place.box('bob'), path), longAgo, longAgo);
  for (const file of readdirSync(join(place.box('bob'), 'new')))
    utimesSync(join(place.box('bob'), 'new', file), longAgo, longAgo);
  const again = open();
  expect([old, unread, delivered, recent].map((id) => again.state(id))).toEqual([
    undefined,
    'written',
    'delivered',
    'read',
  ]);
});

test('TM5 mail of every kind arrives as it was sent', async () => {
  const { lead, bob, post, box } = newPair();
  for (const kind of mailKinds)
    value(
      await post.send(
        { ...text(kind), kind, toIncarnation: bob.incarnation, body: { type: kind }, summary: 'a kind' },
        lead,
      ),
    );
  expect(box.look().map(({ kind, body }) => [kind, body])).toEqual(
    mailKinds.map((kind) => [kind, { type: kind }]),
  );
});
