import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemDisk } from '../../src/lib/files/disk.ts';
import { formatProcessName, nameByProcess } from '../../src/lib/files/temporary-names.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openMailbox } from '../../src/team/mail/mailbox.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { smallDisk } from '../support/index.ts';
import { newPair, value } from './support.ts';

const text = (words: string) => ({ to: 'bob', kind: 'text' as const, text: words });
const disk = smallDisk(512);

const ways = ['send', 'sendNow'] as const;

for (const way of ways)
  disk.test(
    `TM4 on a full disk ${way} says so, nothing is half-written, and mail flows again afterwards`,
    async () => {
      const { post, lead, box, place } = newPair(systemMachine, mkdtempSync(join(disk.path, 'home-')));
      value(await post[way](text('before'), lead));
      await disk.whileFull(0, async () => {
        const sent = await post[way](text('x'.repeat(20_000)), lead);
        expect(sent).toMatchObject({
          ok: false,
          problem: { message: expect.stringMatching(/^Nothing was sent to bob\. .*the disk is full/) },
        });
        expect(readdirSync(join(place.box('bob'), 'tmp'))).toEqual([]);
        expect(box.look().map((mail) => mail.text)).toEqual(['before']);
      });
      value(await post[way](text('after'), lead));
      expect(box.look().map((mail) => mail.text)).toEqual(['before', 'after']);
    },
  );

test('TM4 a message whose sync fails is not sent, alone or among others', async () => {
  const { place, clock, lead, box } = newPair();
  let syncs = 0;
  const broken = Object.assign(new Error('EIO'), { code: 'EIO' });
  const failing = {
    ...systemDisk,
    open(...[path, how]: Parameters<typeof systemDisk.open>) {
      const file = systemDisk.open(path, how);
      if (how.create) file.syncSoon = syncs++ === 1 ? () => Promise.reject(broken) : file.syncSoon;
      return file;
    },
  };
  const post = value(openPost(place, { machine: { ...systemMachine, disk: failing }, clock }));
  const sent = await Promise.all(['one', 'two', 'three'].map((words) => post.send(text(words), lead)));
  expect(sent.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(box.look().map((mail) => mail.text)).toEqual(['one', 'three']);
  expect(readdirSync(join(place.box('bob'), 'tmp'))).toEqual([]);
});

test('TM4 a message that was noted and could not be moved is not shown again, and moved later', async () => {
  const { place, bob, clock, post, lead } = newPair();
  const sent = value(await post.send(text('Hello.'), lead));
  let isFull = true;
  const full = {
    ...systemDisk,
    rename(from: string, to: string) {
      if (isFull && to.includes('/delivered/')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      systemDisk.rename(from, to);
    },
  };
  const box = value(openMailbox(place, bob, { machine: { ...systemMachine, disk: full }, clock }));
  expect(box.look()).toHaveLength(1);
  expect(box.noteDelivered(sent.id)).toMatchObject({ ok: false });
  expect(box.look()).toEqual([]);
  expect(box.state(sent.id)).toBe('written');
  isFull = false;
  expect(box.look()).toEqual([]);
  expect(box.state(sent.id)).toBe('delivered');
});

test('TM4 when no more files can be opened, the box waits and keeps its order', async () => {
  const { place, bob, clock, post, lead } = newPair();
  for (const words of ['one', 'two', 'three']) value(post.sendNow(text(words), lead));
  let left = 1;
  const scarce = {
    ...systemDisk,
    open(...[path, how]: Parameters<typeof systemDisk.open>) {
      if (path.includes('/new/') && left-- <= 0)
        throw Object.assign(new Error('too many'), { code: 'EMFILE' });
      return systemDisk.open(path, how);
    },
  };
  const box = value(openMailbox(place, bob, { machine: { ...systemMachine, disk: scarce }, clock }));
  expect(box.look().map((mail) => mail.text)).toEqual(['one']);
  left = 10;
  expect(box.look().map((mail) => mail.text)).toEqual(['one', 'two', 'three']);
});

test('TM4 what a killed process left half-written is removed when the box is opened, what a living one writes is not', () => {
  const { place, open } = newPair();
  const directory = join(place.box('bob'), 'tmp');
  const dead = `a.json.${formatProcessName({ pid: 999_999_999, start: '1' }, randomIds)}.new`;
  const alive = `b.json.${nameByProcess()}.new`;
  for (const name of [dead, alive, 'of-a-program']) writeFileSync(join(directory, name), '{"format":1');
  open();
  expect(readdirSync(directory).sort()).toEqual([alive, 'of-a-program'].sort());
});
