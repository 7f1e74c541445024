import { expect } from 'bun:test';
import { call, hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('what was typed in an earlier session comes back with the arrow, and ctrl-r finds it', () =>
  withScreen([say('One.'), say('Two.')], async (first) => {
    await seen(first, 'anthropic/');
    await send(first, 'paint the fence');
    await seen(first, 'One.');
    await send(first, 'mow the lawn');
    await seen(first, 'Two.');
    await withScreen(
      [],
      async (screen) => {
        await seen(screen, 'anthropic/');
        screen.press('Up');
        await seen(screen, '❯ mow the lawn');
        screen.press('C-c');
        await gone(screen, 'mow the lawn');
        screen.press('C-r');
        await seen(screen, 'search:');
        screen.type('fen');
        await seen(screen, '❯ paint the fence');
        screen.press('Enter');
        await gone(screen, 'search:');
        expect(screen.visible()).toContain('❯ paint the fence');
      },
      { place: first.place },
    );
  }),
);

tmuxTest('what is pasted into the search is searched for', () =>
  withScreen([say('One.')], async (screen) => {
    await seen(screen, 'anthropic/');
    await send(screen, 'paint the fence');
    await seen(screen, 'One.');
    screen.press('C-r');
    await seen(screen, 'search:');
    screen.paste('fence');
    await seen(screen, 'search: fence');
    screen.press('Escape');
    await gone(screen, 'search:');
    expect(screen.visible()).toContain('❯ Ask for something');
  }),
);

tmuxTest('up takes back what the agent has not read yet, one at a time, as it was written', () =>
  withScreen(
    [hang(say('I work'))],
    async (screen) => {
      await seen(screen, 'I work');
      await send(screen, 'first of two');
      await seen(screen, '⋯ first of two');
      await send(screen, 'second of two');
      await seen(screen, '⋯ second of two');
      screen.press('Up');
      await seen(screen, '❯ second of two');
      await gone(screen, '⋯ second of two');
      expect(screen.visible()).toContain('⋯ first of two');
    },
    { flags: ['go'] },
  ),
);

tmuxTest('what was sent while the agent works is read at its next step', () => {
  const released = Promise.withResolvers<void>();
  let turn = 0;
  return withScreen(
    async () => {
      if (turn++ > 0) return say('Both seen.');
      await released.promise;
      return call('Bash', { command: 'true' });
    },
    async (screen) => {
      await seen(screen, 'working');
      await send(screen, 'also mind the gap');
      await seen(screen, '⋯ also mind the gap');
      released.resolve();
      await seen(screen, 'Both seen.');
      expect(JSON.stringify(screen.provider.received[1]?.messages)).toContain('also mind the gap');
      expect(screen.visible()).toContain('❯ also mind the gap');
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'] },
  );
});

for (const key of ['Escape', 'C-c'])
  tmuxTest(`${key} leaves the search alone: the draft comes back, and the turn goes on`, () => {
    const released = Promise.withResolvers<void>();
    return withScreen(
      async () => {
        await released.promise;
        return say('It went on.');
      },
      async (screen) => {
        await seen(screen, 'working');
        await send(screen, '/cost');
        await seen(screen, 'esc goes back');
        screen.press('Escape');
        await gone(screen, 'esc goes back');
        screen.type('half a thought');
        await seen(screen, '❯ half a thought');
        screen.press('C-r');
        await seen(screen, 'search:');
        screen.type('cos');
        await seen(screen, '❯ /cost');
        screen.press(key);
        await gone(screen, 'search:');
        expect(screen.visible()).toContain('❯ half a thought');
        released.resolve();
        await seen(screen, 'It went on.');
        expect(screen.visible()).not.toContain('interrupted');
      },
      { flags: ['go'] },
    );
  });
