import { expect, test } from 'bun:test';
import { Inbox, type Letter } from '../../src/tasks/inbox.ts';

const prompt = (text: string, delivery: Letter['delivery'] = 'queue'): Letter => ({
  delivery,
  content: [{ type: 'text', text }],
  origin: { kind: 'human' },
  uuid: text,
});
const notice = (text: string): Letter => ({
  delivery: 'steer',
  content: [{ type: 'text', text }],
  origin: { kind: 'task-notification', runId: text },
});
const texts = (letters: Letter[]) => letters.map((letter) => (letter.content[0] as { text: string }).text);

test('a run begins with one prompt and everything that steers, in order', () => {
  const inbox = new Inbox();
  for (const letter of [notice('n1'), prompt('p1'), prompt('p2'), notice('n2')]) inbox.post(letter);
  expect(texts(inbox.takeForRun())).toEqual(['n1', 'p1', 'n2']);
  expect(texts(inbox.takeForRun())).toEqual(['p2']);
  expect(inbox.isEmpty()).toBe(true);
});

test('a turn boundary takes steering letters and leaves queued prompts', () => {
  const inbox = new Inbox();
  for (const letter of [prompt('later'), prompt('now', 'steer'), notice('n')]) inbox.post(letter);
  expect(texts(inbox.takeSteering())).toEqual(['now', 'n']);
  expect(inbox.queuedPrompts()).toEqual(['later']);
});

test('queued prompts can be taken back; notifications stay', () => {
  const inbox = new Inbox();
  for (const letter of [prompt('a'), notice('n'), prompt('b')]) inbox.post(letter);
  expect(inbox.withdrawPrompts()).toEqual(['a', 'b']);
  expect(texts(inbox.takeForRun())).toEqual(['n']);
});

test('letters that could not be read come before those that came meanwhile', () => {
  const inbox = new Inbox();
  for (const text of ['n1', 'n2']) inbox.post(notice(text));
  const taken = inbox.takeForRun();
  inbox.post(notice('n3'));
  inbox.putBack(taken);
  expect(texts(inbox.takeForRun())).toEqual(['n1', 'n2', 'n3']);
});

test('every post wakes the listener until it leaves', () => {
  const inbox = new Inbox();
  let woken = 0;
  const leave = inbox.onPost(() => woken++);
  inbox.post(prompt('a'));
  leave();
  inbox.post(prompt('b'));
  expect(woken).toBe(1);
});
