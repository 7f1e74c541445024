import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { AnswerKeys } from '../../src/tui/keys/answer-keys.ts';
import type { Key } from '../../src/tui/keys/key.ts';
import { begin } from '../../src/tui/questions/dialog.ts';
import type { Form } from '../../src/tui/questions/field.ts';

const dialog = begin({
  fields: [
    {
      title: 'Allow it?',
      options: [
        { key: 'y', label: 'once' },
        { key: 'a', label: 'this agent', isLasting: true },
        { key: 'u', label: 'always', isLasting: true },
      ],
    },
  ],
} as unknown as Form);

const key = (name: string): Key => {
  const plain = { ctrl: false, alt: false, shift: false };
  return name === 'return' || name === 'escape' ? { ...plain, name } : { ...plain, name: 'text', text: name };
};

function keyboard() {
  const clock = manualClock();
  const said: string[] = [];
  const say = (where: string, one: Key) => said.push(`${where}:${one.text ?? one.name}`);
  const keys = new AnswerKeys(clock, (one) => say('dialog', one));
  return {
    said,
    keys,
    wait: (ms: number) => clock.advance(ms),
    press(name: string) {
      const { kind, keys: given } = keys.take(key(name), dialog);
      for (const one of given) say(kind, one);
    },
  };
}

test('a key is an answer once nobody has typed on for a moment', () => {
  const { press, wait, said } = keyboard();
  press('y');
  wait(149);
  expect(said).toEqual([]);
  wait(1);
  expect(said).toEqual(['dialog:y']);
});

test('a key that another one follows is typing, and so is the other', () => {
  const { press, wait, said } = keyboard();
  press('u');
  wait(90);
  press('p');
  wait(1_000);
  expect(said).toEqual(['prompt:u', 'prompt:p']);
});

test('keys that only moved the cursor are typing too when words come of them', () => {
  const { press, wait, said } = keyboard();
  press('u');
  wait(200);
  press('a');
  wait(200);
  press('y');
  wait(1_000);
  expect(said).toEqual(['dialog:u', 'dialog:a', 'prompt:u', 'prompt:a', 'prompt:y']);
});

test('a return right behind a key takes nothing that lasts', () => {
  const { press, wait, said } = keyboard();
  press('u');
  press('return');
  expect(said).toEqual(['dialog:u']);
  wait(500);
  press('return');
  expect(said).toEqual(['dialog:u', 'dialog:return']);
});

test('escape takes back a key that was no answer yet', () => {
  const { press, wait, said } = keyboard();
  press('y');
  press('escape');
  wait(500);
  expect(said).toEqual(['dialog:escape']);
});

test('a key that waits is no answer to another question', () => {
  const { press, wait, said, keys } = keyboard();
  press('y');
  keys.forget();
  wait(500);
  expect(said).toEqual([]);
});
