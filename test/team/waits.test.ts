import { expect, test } from 'bun:test';
import type { WaitEdge } from '../../src/protocol/index.ts';
import { listBoardWaits } from '../../src/team/board/board-waits.ts';
import { renderCircle, renderWaits } from '../../src/team/render-waits.ts';
import { collectWaits, findCircles, trackCircles } from '../../src/team/waits.ts';
import { alice, boardGround, bob, lead, need } from './board-support.ts';

const since = '2026-01-01T00:00:00.000Z';

function mail(from: string, to: string, what = `an answer of ${to}`): WaitEdge {
  return { from, to, kind: 'mail', what, since };
}

test('TM15 two that wait for each other are a circle, whichever comes first', () => {
  const one = findCircles([mail('alice', 'bob'), mail('bob', 'alice'), mail('carol', 'bob')]);
  const other = findCircles([mail('carol', 'bob'), mail('bob', 'alice'), mail('alice', 'bob')]);
  expect(one.map(({ key }) => key)).toEqual(['alice mail > bob mail']);
  expect(other).toEqual(one);
});

test('TM15 a circle through things is found: mail, a file and an approval', () => {
  const edges: WaitEdge[] = [
    { from: 'alice', to: 'file:/a.ts', kind: 'lease', what: '/a.ts is leased to bob', since },
    { from: 'file:/a.ts', to: 'bob', kind: 'lease', what: 'bob holds /a.ts', since },
    { from: 'bob', to: 'carol', kind: 'approval', what: 'approval of its plan', since },
    mail('carol', 'alice'),
    { from: 'dave', to: 'user', kind: 'approval', what: 'a question', since },
  ];
  const [circle, ...others] = findCircles(edges);
  expect(others).toEqual([]);
  expect(renderCircle(circle as never)).toBe(
    'Circle: alice → file /a.ts → bob → carol → alice. ' +
      'alice waits for file /a.ts: /a.ts is leased to bob; bob waits for carol: approval of its plan; ' +
      'carol waits for an answer of alice.',
  );
});

test('TM15 a chain that ends is not a circle', () => {
  expect(findCircles([mail('a', 'b'), mail('b', 'c'), mail('a', 'c'), mail('c', 'user')])).toEqual([]);
});

test('two circles that share a member are two', () => {
  const edges = [mail('a', 'b'), mail('b', 'a'), mail('b', 'c'), mail('c', 'b')];
  expect(findCircles(edges).map(({ key }) => key)).toEqual(['a mail > b mail', 'b mail > c mail']);
});

test('one that waits for itself is a circle', () => {
  expect(findCircles([mail('a', 'a')]).map(({ key }) => key)).toEqual(['a mail']);
});

test('TM15 the same circle is told once, and again if it was resolved in between', () => {
  const track = trackCircles();
  const circle = [mail('a', 'b'), mail('b', 'a')];
  expect(track(circle)).toHaveLength(1);
  expect(track([...circle, mail('c', 'a')])).toEqual([]);
  expect(track([mail('a', 'b')])).toEqual([]);
  expect(track(circle)).toHaveLength(1);
});

test('many members in one tangle give a bounded number of circles, fast', () => {
  const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
  const edges = names.flatMap((from) => names.filter((to) => to !== from).map((to) => mail(from, to)));
  expect(findCircles(edges)).toHaveLength(20);
});

test('the same wait from two sources is one, since the earlier time', () => {
  const later = { ...mail('a', 'b'), since: '2026-01-01T00:05:00.000Z' };
  const waits = collectWaits([() => [later, mail('c', 'b')], () => [mail('a', 'b')]]);
  expect(new Set(waits)).toEqual(new Set([mail('a', 'b'), mail('c', 'b')]));
});

test('waits are printed with their age, and names cannot draw on the screen', () => {
  const edges = [mail('alice', 'bob', 'the answer to "Which\u001b[2J port?"')];
  expect(renderWaits(edges, [], Date.parse(since) + 90_000)).toBe(
    'alice waits for bob: the answer to "Which\\x1b[2J port?" (90 s)\n',
  );
  expect(renderWaits([], [], 0)).toBe('Nobody waits.\n');
});

test('TM15 an owner all of whose items are blocked waits for them; one with something to do does not, nor one that works', () => {
  const board = boardGround().open();
  const make = (subject: string, owner: string) => need(board.create({ subject, owner }, lead)).id;
  const [a, b, c] = [make('A', 'alice'), make('B', 'bob'), make('C', 'bob')];
  need(board.change(b, { addBlocks: [a] }, lead));
  need(board.change(a, { addBlocks: [c] }, lead));
  const waits = (isResting: boolean) =>
    new Set(listBoardWaits(board.list(), () => isResting).map(({ from, to }) => `${from} > ${to}`));
  const ofItems = [`item:${a} > item:${b}`, `item:${c} > item:${a}`, `item:${b} > bob`];
  expect(waits(true)).toEqual(new Set([`alice > item:${a}`, ...ofItems]));
  expect(waits(false)).toEqual(new Set(ofItems));
  expect(findCircles(listBoardWaits(board.list(), () => true))).toEqual([]);
});

test('TM15 a member that waits for an answer of one that waits for its item is in a circle', () => {
  const board = boardGround().open();
  const [a, b] = ['A', 'B'].map((subject) => need(board.create({ subject }, lead)).id);
  need(board.claim(a ?? '', alice));
  need(board.change(a ?? '', { addBlocks: [b ?? ''] }, lead));
  need(board.change(b ?? '', { owner: bob.name }, bob));
  const edges = [...listBoardWaits(board.list(), () => true), mail('alice', 'bob')];
  expect(findCircles(edges).map(({ key }) => key)).toEqual([
    `alice mail > bob item > item:${b} item > item:${a} item`,
  ]);
});
