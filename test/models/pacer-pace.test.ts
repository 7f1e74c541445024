import { expect, test } from 'bun:test';
import { Pace, Throughput } from '../../src/models/pacer/pace.ts';
import { Ramp } from '../../src/models/pacer/ramp.ts';

test('there is no pace before the first refusal', () => {
  expect(new Pace().rate(1_000)).toBe(Number.POSITIVE_INFINITY);
});

test('after a refusal it starts below what was too much, returns to it, lingers, and then looks for more', () => {
  const pace = new Pace();
  pace.set(10, 0, false);
  expect(pace.rate(0)).toBeCloseTo(8.5);
  expect(pace.rate(20_000)).toBeCloseTo(10);
  expect(pace.rate(24_000)).toBeLessThan(10.1);
  expect(pace.rate(80_000)).toBeGreaterThan(40);
});

test('a first guess grows with every request that is taken, and the next refusal ends it', () => {
  const pace = new Pace();
  pace.refuse(1_000, undefined);
  expect(pace.isGuess).toBe(true);
  const guess = pace.rate(1_000);
  for (let taken = 0; taken < 8; taken++) pace.accept(1);
  expect(pace.rate(10_000)).toBeGreaterThan(2 * guess);
  pace.refuse(10_000, undefined);
  expect(pace.isGuess).toBe(false);
});

test('what the provider really took bounds what a refusal leaves', () => {
  const pace = new Pace();
  pace.set(10, 0, false);
  pace.refuse(70_000, 5);
  expect(pace.capacity).toBe(6);
});

test('throughput counts what was taken over the time it took, and says nothing of too little', () => {
  const throughput = new Throughput();
  for (let index = 0; index < 4; index++) throughput.note(index * 500);
  expect(throughput.perSecond(2_000)).toBeUndefined();
  throughput.note(2_000);
  expect(throughput.perSecond(2_000)).toBe(2);
});

test('the window opens with use, halves with a refusal, and comes back quickly to where it was', () => {
  const ramp = new Ramp(8);
  ramp.accept(1, 1);
  expect(ramp.window).toBe(8);
  for (let taken = 0; taken < 24; taken++) ramp.accept(ramp.window, 1);
  expect(ramp.window).toBe(32);
  ramp.refuse(32, true);
  expect(ramp.window).toBe(16);
  for (let taken = 0; taken < 16; taken++) ramp.accept(ramp.window, 1);
  expect(ramp.window).toBe(32);
  ramp.accept(32, 1);
  expect(ramp.window).toBeLessThan(32.1);
});
