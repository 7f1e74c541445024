import { describe, expect } from 'bun:test';
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SharedHomes } from '../../../src/sandbox/guard/shared-homes.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { begin, room } from './support.ts';

const test = needs('bwrap');

describe('a home in which nothing runs is forgotten until its next command', () => {
  const later = () => Date.now() + 60 * 60_000;

  function twoHomes(): { mine: SharedHomes; theirs: string; others: SharedHomes; look: () => string[] } {
    const { path } = temporaryDirectory();
    const [own, theirs, place] = [join(path, 'mine'), join(path, 'theirs'), join(path, 'homes')];
    for (const folder of ['confined', 'taken'])
      mkdirSync(join(theirs, folder), { recursive: true, mode: 0o700 });
    mkdirSync(join(own, 'confined'), { recursive: true, mode: 0o700 });
    const others = new SharedHomes(theirs, () => place);
    others.note();
    return {
      ...{ theirs, others, mine: new SharedHomes(own, () => place, later) },
      look: () => readdirSync(place).map((name) => basename(readlinkSync(join(place, name)))),
    };
  }

  test('and is found again from then on', () => {
    const { mine, others, look } = twoHomes();
    mine.note();
    expect(look()).toEqual(['mine']);
    others.note();
    expect(look().sort()).toEqual(['mine', 'theirs']);
    mine.note();
    expect(look().sort()).toEqual(['mine', 'theirs']);
  });

  test('not while a command runs there', () => {
    const { mine, theirs, look } = twoHomes();
    writeFileSync(join(theirs, 'confined', 'a.json'), '');
    mine.note();
    expect(look().sort()).toEqual(['mine', 'theirs']);
  });

  test('not while a command runs anywhere that began before something was taken away there', async () => {
    const at = room();
    const command = await begin(at, 'tail -f /dev/null');
    const { path } = temporaryDirectory();
    const theirs = join(path, 'theirs');
    mkdirSync(join(theirs, 'taken', 'a'), { recursive: true, mode: 0o700 });
    const place = join(path, 'homes');
    new SharedHomes(theirs, () => place).note();
    new SharedHomes(at.home, () => place, later).note();
    expect(readdirSync(place)).toHaveLength(2);
    await command.end();
    new SharedHomes(at.home, () => place, later).note();
    expect(readdirSync(place)).toHaveLength(1);
  });
});
