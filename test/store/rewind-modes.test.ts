import { expect, test } from 'bun:test';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { runUnprivileged } from '../support/index.ts';
import { create } from './rewind-story.ts';

const modeOf = (path: string) => statSync(path).mode & 0o7777;

/** A script of mode 644, written by an agent, and made executable by a command. */
async function script() {
  const story = create();
  const file = story.file('run.sh');
  await story.edit('run.sh', 'echo');
  chmodSync(file, 0o644);
  story.shell(() => {});
  const point = story.records.length;
  story.shell(() => chmodSync(file, 0o755));
  return { ...story, file, point };
}

test('permissions that a command gave an edited file are taken back, to any point', async () => {
  const { file, shell, goBack, records, point } = await script();
  const later = records.length;
  shell(() => chmodSync(file, 0o000));
  expect(await goBack(later)).toEqual({ 'run.sh': 'restore' });
  expect(modeOf(file)).toBe(0o755);
  expect(await goBack(point)).toEqual({ 'run.sh': 'restore' });
  expect(modeOf(file)).toBe(0o644);
  expect(readFileSync(file, 'utf8')).toBe('echo');
});

test('a record says which permissions a file had before and has after', async () => {
  const { records, point, file } = await script();
  expect(records.slice(point)).toMatchObject([{ path: file, cause: 'shell', mode: 0o644, modeAfter: 0o755 }]);
});

test('going back to before a rewind gives the permissions from then', async () => {
  const { file, goBack, records, point } = await script();
  const undo = records.length;
  await goBack(point);
  expect(await goBack(undo)).toEqual({ 'run.sh': 'restore' });
  expect(modeOf(file)).toBe(0o755);
});

test('a file that is there with other permissions and other bytes gets both back', async () => {
  const { file, edit, shell, goBack } = create();
  writeFileSync(file('a'), 'one');
  chmodSync(file('a'), 0o755);
  await edit('a', 'two');
  shell(() => chmodSync(file('a'), 0o600));
  expect(await goBack()).toEqual({ a: 'restore' });
  expect([readFileSync(file('a'), 'utf8'), modeOf(file('a'))]).toEqual(['one', 0o755]);
});

test('a file that a command deleted after another changed its permissions comes back with these', async () => {
  const { file, shell, goBack, records } = await script();
  const point = records.length;
  shell(() => rmSync(file));
  await goBack(point);
  expect(modeOf(file)).toBe(0o755);
});

test('no file is made to run as its owner or group by going back', async () => {
  const { file, edit, shell, goBack, records } = create();
  writeFileSync(file('a'), 'one');
  chmodSync(file('a'), 0o4755);
  await edit('a', 'two');
  shell(() => chmodSync(file('a'), 0o644));
  for (const record of records) record.mode = 0o6755;
  await goBack();
  expect([readFileSync(file('a'), 'utf8'), modeOf(file('a'))]).toEqual(['one', 0o755]);
});

test("a person's own permissions are not taken from a file unasked, nor do they keep a new one", async () => {
  const { file, edit, shell, plan, goBack, records } = create();
  writeFileSync(file('a'), 'one');
  chmodSync(file('a'), 0o644);
  await edit('a', 'two');
  await edit('new', 'made');
  shell(() => {});
  for (const name of ['a', 'new']) chmodSync(file(name), 0o600);
  const seen = { action: 'refuse', needsForce: true, reason: expect.stringContaining('permissions') };
  expect(plan()).toMatchObject([seen, { action: 'remove' }]);
  shell(() => {});
  expect(records.slice(2)).toMatchObject([{ cause: 'outside' }, { cause: 'outside' }]);
  expect(plan()).toMatchObject([{ action: 'refuse', needsForce: true }, { action: 'remove' }]);
  await goBack(0, { force: true });
  expect(modeOf(file('a'))).toBe(0o644);
});

test('records from before permissions were kept bring back bytes, and leave the permissions there are', async () => {
  const first = create();
  writeFileSync(first.file('a'), 'one');
  await first.edit('a', 'two');
  const old = first.records.map(({ mode: _, modeAfter: __, ...record }) => record);
  chmodSync(first.file('a'), 0o640);
  const again = create(old, first.root);
  again.ledger.observe?.('outside', '');
  expect(again.records).toHaveLength(1);
  expect(await again.goBack()).toEqual({ a: 'restore' });
  expect([readFileSync(first.file('a'), 'utf8'), modeOf(first.file('a'))]).toEqual(['one', 0o640]);
});

test('what was removed, changed and added in directories that were then closed to writing is undone', async () => {
  const story = new URL('./rewind-story.ts', import.meta.url).pathname;
  const seen = await runUnprivileged<unknown>({
    code: `import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
      import { create } from '${story}';
      export default async (_, directory) => {
        const { file, edit, shell, goBack, records } = create([], directory);
        mkdirSync(file('src/deep/er'), { recursive: true });
        for (const name of ['src/gone', 'src/kept', 'src/deep/er/gone']) await edit(name, name);
        chmodSync(file('src/kept'), 0o644);
        shell(() => {});
        const point = records.length;
        await edit('src/new', 'new');
        shell(() => {
          rmSync(file('src/gone'));
          rmSync(file('src/deep'), { recursive: true });
          chmodSync(file('src/kept'), 0o444);
          chmodSync(file('src'), 0o555);
        });
        await goBack(point);
        return {
          texts: ['src/gone', 'src/kept', 'src/deep/er/gone'].map((name) => readFileSync(file(name), 'utf8')),
          modes: ['src', 'src/kept'].map((name) => statSync(file(name)).mode & 0o777),
          isNewThere: existsSync(file('src/new')),
        };
      };`,
  });
  expect(seen).toEqual({
    texts: ['src/gone', 'src/kept', 'src/deep/er/gone'],
    modes: [0o755, 0o644],
    isNewThere: false,
  });
});

test("a file in another user's directory is not restored, with the directory and the next step", async () => {
  const batch = new URL('../../src/lib/sync-batch.ts', import.meta.url).pathname;
  const store = new URL('../../src/store/files/put-back.ts', import.meta.url).pathname;
  const done = await runUnprivileged<unknown>({
    code: `import { SyncBatch } from '${batch}';
      import { putBack } from '${store}';
      export default () =>
        putBack('/usr/a.txt', { kind: 'nothing' }, { bytes: Buffer.from('a'), mode: 0o644 }, new SyncBatch());`,
  });
  expect(done).toMatchObject({
    ok: false,
    problem: {
      message: expect.stringContaining('you have no write permission in /usr (EACCES). Make it writable'),
    },
  });
});

test('a file whose owner may no longer read it comes back; a look leaves it as it is', async () => {
  const story = new URL('./rewind-story.ts', import.meta.url).pathname;
  const seen = await runUnprivileged<unknown>({
    code: `import { chmodSync, readFileSync, statSync } from 'node:fs';
      import { create } from '${story}';
      export default async (_, directory) => {
        const { file, edit, shell, goBack, plan, records } = create([], directory);
        await edit('a', 'one');
        chmodSync(file('a'), 0o755);
        shell(() => {});
        const point = records.length;
        shell(() => chmodSync(file('a'), 0o000));
        const looked = [plan(point)[0].action, statSync(file('a')).mode & 0o777];
        await goBack(point);
        return [...looked, statSync(file('a')).mode & 0o777, readFileSync(file('a'), 'utf8')];
      };`,
  });
  expect(seen).toEqual(['restore', 0, 0o755, 'one']);
});
