import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import type { WatchDirectory } from '../../src/lib/files/watch-directory.ts';
import { openMailbox } from '../../src/team/mail/mailbox.ts';
import { pollMs } from '../../src/team/mail/watch-box.ts';
import { until } from '../support/index.ts';
import { newPair, value } from './support.ts';

const text = (words: string) => ({ to: 'bob', kind: 'text' as const, text: words });

/** A watch that reports when the test says so. */
function manualWatch() {
  const listeners = new Set<() => void>();
  const watch: WatchDirectory = (_, changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  };
  return { watch, listeners, report: () => listeners.forEach((changed) => void changed()) };
}

function openWatched() {
  const pair = newPair();
  const system = manualWatch();
  const box = value(openMailbox(pair.place, pair.bob, { ...pair, watch: system.watch }));
  let calls = 0;
  const stop = box.onMail(() => calls++);
  return { ...pair, box, system, stop, calls: () => calls };
}

test('TM13 mail calls the listener, several messages at once only once', () => {
  const { post, lead, clock, system, calls } = openWatched();
  for (const words of ['one', 'two', 'three']) {
    value(post.sendNow(text(words), lead));
    system.report();
  }
  clock.advance(10);
  expect(calls()).toBe(1);
});

test('TM13 mail that the system does not report is found by the slow look', () => {
  const { post, lead, clock, calls } = openWatched();
  clock.advance(10);
  value(post.sendNow(text('Hello.'), lead));
  expect(calls()).toBe(0);
  clock.advance(pollMs);
  expect(calls()).toBe(1);
});

test('TM13 mail that was there before is told at once', () => {
  const { box, post, lead, clock } = openWatched();
  value(post.sendNow(text('Hello.'), lead));
  let calls = 0;
  box.onMail(() => calls++);
  clock.advance(10);
  expect(calls).toBe(1);
});

test('moving mail away does not call the listener', () => {
  const { box, post, lead, clock, system, calls } = openWatched();
  const { id } = value(post.sendNow(text('Hello.'), lead));
  value(box.noteDelivered(id));
  system.report();
  clock.advance(3 * pollMs);
  expect(calls()).toBe(0);
});

test('a listener that left is not called, and nothing is watched for it', () => {
  const { post, lead, clock, system, stop, calls } = openWatched();
  stop();
  value(post.sendNow(text('Hello.'), lead));
  system.report();
  clock.advance(3 * pollMs);
  expect(calls()).toBe(0);
  expect(system.listeners.size).toBe(0);
});

test('TM13 the system reports mail of another process well before the slow look', async () => {
  const { post, lead, place, bob, machine } = newPair();
  const box = value(openMailbox(place, bob, { machine, clock: systemClock }));
  let isCalled = false;
  const start = performance.now();
  const stop = box.onMail(() => {
    isCalled = true;
  });
  value(await post.send(text('Hello.'), lead));
  await until(() => isCalled);
  stop();
  expect(performance.now() - start).toBeLessThan(pollMs);
});
