import { expect, test } from 'bun:test';
import { filesGround } from './files-ground.ts';

const on = filesGround(['keep/a.txt', 'src/b.txt', '.git/hooks/pre-commit', 'plain/c.txt'], () => ['Bash']);
const replacing = [
  'gzip -r',
  'gunzip -r',
  'gzip -9 --recursive',
  'zstd -r',
  'zstd -rq --rm',
  'lz4 -r',
  'pigz -r',
];

test('what replaces every file below a directory is refused where a rule refuses one of them', () => {
  for (const program of replacing)
    for (const place of ['.', 'keep', './keep/..', '"$PWD"']) {
      const line = `${program} ${place}`;
      for (const mode of ['default', 'bypassPermissions'] as const)
        expect([line, on(line, { deny: ['Edit(keep/**)'], mode })]).toEqual([line, 'deny']);
      const other = `${program} plain`;
      expect([other, on(other, { deny: ['Edit(keep/**)'] })]).toEqual([other, 'allow']);
    }
});

test('and asked about where one is protected', () => {
  for (const program of replacing) expect([program, on(`${program} .`)]).toEqual([program, 'ask']);
});

test('changing modes and owners removes nothing, so that nobody is asked where nothing is asked', () => {
  for (const line of ['chmod -R u+w .', 'chown -R me .', 'chgrp -R us .']) {
    expect([line, on(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
    expect([line, on(line, { mode: 'bypassPermissions', deny: ['Edit(keep/**)'] })]).toEqual([line, 'deny']);
    expect([line, on(line)]).toEqual([line, 'ask']);
  }
});
