import { expect } from 'bun:test';
import { rmSync } from 'node:fs';
import { needs } from '../support/index.ts';
import { ground } from './snapshot-ground.ts';

/** A repository with more files than are covered, most of them unchanged. */
function largeRepository() {
  const at = ground({ maxFiles: 10 });
  for (let index = 0; index < 20; index++) at.write(`src/f${index}`, `first ${index}`);
  at.git('init', '-q');
  at.git('add', '-A');
  at.git('commit', '-qm', 'Start');
  at.write('src/f0', 'changed by me');
  at.write('src/f19', 'changed by me');
  at.write('zoo/new', 'new, by me');
  return at;
}

needs('git')('in a repository above the limit, changed and new files are covered first', async () => {
  const at = largeRepository();
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  at.git('checkout', '-q', '.');
  at.git('clean', '-qfd');
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(at.changes().toSorted()).toEqual([
    ['src/f0', 'shell'],
    ['src/f19', 'shell'],
    ['zoo/new', 'shell'],
  ]);
  expect(at.histories().every(({ before }) => /^[0-9a-f]{64}$/.test(before ?? ''))).toBe(true);
});

needs('git')('a file beyond the limit that a command changes never counts as made by it', async () => {
  const at = largeRepository();
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  for (let index = 0; index < 20; index++) {
    rmSync(at.file(`src/f${index}`));
    at.write(`src/f${index}`, 'by the command');
  }
  at.write('made', 'by the command');
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(at.histories().flatMap(({ path, before }) => (before === null ? [path] : []))).toEqual([
    at.file('made'),
  ]);
  expect(at.changes()).toHaveLength(10);
});

needs('git')('nested repositories: what is not in git of any of them comes before what is', async () => {
  const at = ground({ maxFiles: 6 });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'inner/f', 'inner/g']) at.write(name, name);
  at.git('init', '-q');
  at.git('init', '-q', 'inner');
  for (const where of ['inner', '.']) {
    at.git('-C', where, 'add', '-A', ...(where === '.' ? ['--', ':!inner'] : []));
    at.git('-C', where, 'commit', '-qm', 'Start');
  }
  at.write('inner/mine', 'by me');
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  rmSync(at.file('inner/mine'));
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(at.changes()).toEqual([['inner/mine', 'shell']]);
});

needs('git')('repositories beyond their limit are named, and are not taken for too many files', async () => {
  const at = ground();
  at.git('init', '-q');
  const names = Array.from({ length: 23 }, (_, index) => `r${String(index + 10)}`);
  for (const name of names) {
    at.write(`${name}/f`, 'first');
    at.git('init', '-q', name);
  }
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  for (const name of names) at.write(`${name}/f`, 'by the command');
  command.end();
  await snapshot.settle();
  await snapshot.close();
  const [seen] = at.records.filter((record) => record.type === 'command-files');
  const unseen = seen?.unseen ?? '';
  const left = names.filter((name) => unseen.includes(at.file(name)));
  expect(unseen).toStartWith('only 20 nested repositories are covered');
  expect(unseen).not.toContain('files');
  // Each is either restored or named.
  const changed = at.changes().map(([path = '']) => path.replace('/f', ''));
  expect([...changed, ...left].toSorted()).toEqual(names);
  expect(left).toHaveLength(3);
});
