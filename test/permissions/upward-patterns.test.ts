import { expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openReadingGround } from './reading-ground.ts';

const readers = [
  'cat',
  'head',
  'tail',
  'sort',
  'wc -c',
  'od -c',
  'base64',
  'nl',
  'sed -n p',
  'awk 1',
  'cksum',
  'cut -c1-',
];

test('a part of a pattern that could become .. or . counts as both', () => {
  const { judge } = openReadingGround();
  for (const reader of readers)
    for (const pattern of [
      '.?*/h*',
      '.*/*.txt',
      'sub/.*/h*',
      '.*/sub/.*/hush.txt',
      './.*/hush.t?t',
      '.[.]/sub/../h*',
    ]) {
      const line = `${reader} ${pattern}`;
      expect([line, judge(line, { deny: ['Read(hush.txt)'] })]).not.toEqual([line, 'allow']);
      const mode = 'bypassPermissions';
      expect([line, judge(line, { deny: ['Read(hush.txt)'], mode })]).not.toEqual([line, 'allow']);
    }
  for (const line of ['cat sub/.*', 'cat sub/.?*', 'ls -d .*'])
    expect([line, judge(line, { deny: ['Read(hush.txt)'] })]).toEqual([line, 'allow']);
});

test('behind a star .. leads to the parent of what a link leads to', () => {
  const { judge, root } = openReadingGround();
  symlinkSync(join(root, 'deep/down'), join(root, 'sub/link'));
  const deny = ['Read(deep/hidden.txt)'];
  expect(judge('cat sub/*/../hid*', { deny, mode: 'bypassPermissions' })).not.toBe('allow');
  expect(judge('cat deep/*/../hid*', { deny, mode: 'bypassPermissions' })).not.toBe('allow');
  expect(judge('cat deep/*/../op*', { deny, mode: 'bypassPermissions' })).toBe('allow');
});

test('at the end of a pattern .. is opened by a reader as well', () => {
  const { judge } = openReadingGround();
  for (const reader of readers)
    for (const pattern of ['.*', '.?', '.?*', '..*', '.[.]', './.*', 'sub/../.*', 'sub/.*/.*', '.**']) {
      const line = `${reader} ${pattern}`;
      expect([line, judge(line, { allow: [] })]).not.toEqual([line, 'allow']);
    }
  for (const line of ['cat .??*', 'cat .[!.]*', 'cat .g*', 'cat sub/.*', 'ls -d .*', 'stat .*'])
    expect([line, judge(line, { allow: [] })]).toEqual([line, 'allow']);
});
