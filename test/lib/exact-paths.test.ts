import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { statEntry } from '../../src/lib/files/entry-at.ts';
import { listEntries, readdirSync, readlinkSync, realpathSync } from '../../src/lib/files/exact-files.ts';
import {
  basename,
  decodePath,
  dirname,
  encodePath,
  join,
  pathBytes,
  pathLength,
  resolve,
  showBytes,
} from '../../src/lib/files/exact-paths.ts';
import { RealPlaces } from '../../src/lib/files/real-places.ts';
import { visibleLine } from '../../src/lib/text/text.ts';
import { isLossy } from '../../src/lib/text/utf8.ts';
import { temporaryDirectory } from '../support/index.ts';

/** The same numbers each time. */
function* numbers(most: number): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 48271) % 2147483647;
    yield state % most;
  }
}

test('any bytes lead to a path and back, and no two to the same', () => {
  const random = numbers(256);
  const interesting = [
    0x41, 0x2f, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x98, 0x80, 0xff,
  ];
  const seen = new Map<string, string>();
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(
      Array.from({ length: 1 + (random.next().value % 9) }, () => {
        const value = random.next().value;
        return value < 160 ? (interesting[value % interesting.length] ?? 0) : value;
      }),
    );
    const path = decodePath(bytes);
    expect(pathBytes(path).equals(bytes)).toBe(true);
    expect(pathLength(path)).toBe(bytes.length);
    expect(JSON.parse(JSON.stringify(path))).toBe(path);
    const before = seen.get(path) ?? bytes.toString('hex');
    expect(before).toBe(bytes.toString('hex'));
    seen.set(path, before);
  }
});

test('text stays what it is, a replacement character too', () => {
  for (const text of ['/a/b', '/日本/é', '/😀', '/\uFFFD']) {
    expect(decodePath(Buffer.from(text))).toBe(text);
    expect(encodePath(text)).toBe(text);
  }
  expect(isLossy(decodePath(Buffer.from('caf\xe9', 'latin1')))).toBe(true);
  expect(visibleLine(decodePath(Buffer.from('/caf\xe9', 'latin1')), 100)).toBe('/caf\\xe9');
});

test('a text that holds such a path can be shown', () => {
  expect(showBytes('/caf\udce9: \u{1f600} é')).toBe('/caf\\xe9: \u{1f600} é');
  expect(showBytes('half \ud83d')).toBe('half \uFFFD');
});

test('names are joined and parted as everywhere, and none gets lost', () => {
  const random = numbers(7);
  const parts = ['a', '.', '..', '', 'b.c', '.git', '/'];
  const pick = () =>
    Array.from({ length: random.next().value }, () => parts[random.next().value] ?? '').join('/');
  for (let round = 0; round < 20_000; round++) {
    const [first, second] = [pick(), pick()];
    expect([first, second, join(first, second)]).toEqual([first, second, posix.join(first, second)]);
    expect([first, dirname(first), basename(first)]).toEqual([
      first,
      posix.dirname(first),
      posix.basename(first),
    ]);
    expect([first, second, resolve(`/${first}`, second)]).toEqual([
      first,
      second,
      posix.resolve(`/${first}`, second),
    ]);
  }
  const name = 'caf\udce9';
  expect(join('/a', name, '../b', name)).toBe(`/a/b/${name}`);
  expect([dirname(`/a/${name}/b`), basename(`/a/${name}`)]).toEqual([`/a/${name}`, name]);
});

test('what a directory holds is listed, looked at and followed by its bytes', () => {
  const top = temporaryDirectory().path;
  const place = (name: string) => Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, 'latin1')]);
  mkdirSync(place('d\xe9'));
  writeFileSync(place('d\xe9/f\xff'), 'text');
  writeFileSync(place('plain'), '');
  symlinkSync(Buffer.from('d\xe9', 'latin1'), `${top}/link`);
  expect(readdirSync(top).toSorted()).toEqual(['d\udce9', 'link', 'plain']);
  expect(
    listEntries(top)
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name),
  ).toEqual(['d\udce9']);
  expect(listEntries(`${top}/d\udce9`).map((entry) => [entry.name, entry.isFile()])).toEqual([
    ['f\udcff', true],
  ]);
  expect(readlinkSync(`${top}/link`)).toBe('d\udce9');
  expect(realpathSync(`${top}/link/f\udcff`)).toBe(`${top}/d\udce9/f\udcff`);
  expect(statEntry(`${top}/d\udce9/f\udcff`)?.size).toBe(4);
  const places = new RealPlaces();
  expect(places.look(`${top}/d\udce9/f\udcff`).state).toBe('found');
  expect(places.look(`${top}/link/f\udcff`).state).toBe('moved');
  places.close();
});
