import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { hashBytes } from '../../src/lib/hash.ts';
import { isKept } from '../../src/store/kept-bytes.ts';
import { ground } from './snapshot-ground.ts';

/** A repository whose files are all committed. */
function committed() {
  const at = ground();
  for (const name of ['a', 'b', 'src/c']) at.write(name, `content of ${name}`);
  at.git('init', '-q');
  at.git('add', '-A');
  at.git('commit', '-qm', 'Start');
  return at;
}

test('a command that takes objects of git is told of at once, and in its record', async () => {
  const { open, file, records } = committed();
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  rmSync(file('.git/objects'), { recursive: true });
  command.end();
  const lost = expect.stringContaining('git can no longer read all of it');
  expect(await command.notices()).toEqual([lost]);
  await snapshot.settle();
  await snapshot.close();
  expect(records).toMatchObject([{ type: 'command-files', toolUseId: 't1', lost: [lost] }]);
});

test('files whose content only git held come back also when one command takes the objects and the next one the files', async () => {
  const { open, file, histories, directory } = committed();
  const snapshot = open();
  const first = await snapshot.begin('t1', null);
  rmSync(file('.git/objects'), { recursive: true });
  first.end();
  await first.notices();
  const second = await snapshot.begin('t2', null);
  for (const name of ['a', 'b', 'src']) rmSync(file(name), { recursive: true });
  second.end();
  await snapshot.settle();
  await snapshot.close();
  for (const name of ['a', 'b', 'src/c']) {
    const hash = hashBytes(`content of ${name}`);
    expect(histories().find(({ path }) => path === file(name))).toMatchObject({ before: hash, after: null });
    expect(isKept(directory, hash)).toBe(true);
  }
});

test('what a command did to git is told of also when another command started meanwhile', async () => {
  const { open, file } = committed();
  const snapshot = open();
  const first = await snapshot.begin('t1', null);
  rmSync(file('.git/objects'), { recursive: true });
  const second = await snapshot.begin('t2', null);
  second.end();
  first.end();
  const said = [...(await first.notices()), ...(await second.notices())];
  expect(said).toEqual([expect.stringContaining('git can no longer read all of it')]);
  await snapshot.settle();
  await snapshot.close();
});

test('a file whose object git lost before the session comes back as it was', async () => {
  const at = ground();
  at.git('init', '-q');
  for (const name of ['lost', 'there']) at.write(name, `${name} text`);
  at.git('add', '-A');
  at.git('commit', '-qm', 'one');
  const id = at.git('rev-parse', 'HEAD:lost');
  rmSync(at.file(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`));
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  for (const name of ['lost', 'there']) rmSync(at.file(name));
  command.end();
  await snapshot.settle();
  const kept = at.histories().map(({ path, before }) => [path, before && isKept(at.directory, before)]);
  expect(kept).toEqual([
    [at.file('lost'), true],
    [at.file('there'), true],
  ]);
});
