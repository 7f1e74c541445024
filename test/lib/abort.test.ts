import { expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { linkAbort } from '../../src/lib/abort.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('a parent aborts its child with the same reason', () => {
  const [parent, child] = [new AbortController(), new AbortController()];
  linkAbort(parent.signal, child);
  parent.abort('enough');
  expect(child.signal.reason).toBe('enough');
});

test('a child never aborts its parent, and leaves it when it ends', () => {
  const [parent, child] = [new AbortController(), new AbortController()];
  linkAbort(parent.signal, child);
  child.abort();
  expect(parent.signal.aborted).toBe(false);
  expect(listeners(parent.signal)).toBe(0);
});

test('an aborted parent aborts a new child at once', () => {
  const child = new AbortController();
  linkAbort(AbortSignal.abort('over'), child);
  expect(child.signal.reason).toBe('over');
});

test('an unlinked child goes its own way', () => {
  const [parent, child] = [new AbortController(), new AbortController()];
  const unlink = linkAbort(parent.signal, child);
  unlink();
  unlink();
  parent.abort();
  expect(child.signal.aborted).toBe(false);
});

test('100,000 links that were undone leave no listener', () => {
  const parent = new AbortController();
  for (let index = 0; index < 100_000; index++) linkAbort(parent.signal, new AbortController())();
  expect(listeners(parent.signal)).toBe(0);
});
