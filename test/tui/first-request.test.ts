import { expect } from 'bun:test';
import { fakeProvider, say } from '../../src/testing/index.ts';
import { cadre } from '../cli/support.ts';
import { needs, until } from '../support/index.ts';
import { makeRepository, newPlace, send, settled, withScreen } from './support.ts';

const maxBytes = 20_000;

needs('tmux')('LN2 the first request of the app is at most 20,000 bytes in a small repository', async () => {
  await withScreen(
    [say('Hello.')],
    async (screen) => {
      await settled(screen);
      await send(screen, 'Hello');
      await until(() => screen.provider.requests.length > 0);
      const body = screen.provider.requests[0]?.body ?? Buffer.alloc(0);
      expect(body.toString()).toContain('AskUserQuestion');
      expect(body.length).toBeLessThanOrEqual(maxBytes);
    },
    { prepare: ({ cwd }) => makeRepository(cwd) },
  );
});

needs('git')('LN2 and so is that of a run with -p', async () => {
  const place = newPlace();
  makeRepository(place.cwd);
  await using provider = await fakeProvider({ script: [say('Hello.')] });
  expect((await cadre(['-p', 'Hello'], { place, provider })).code).toBe(0);
  const body = provider.requests[0]?.body ?? Buffer.alloc(0);
  expect(body.toString()).toContain('Branch: main');
  expect(body.length).toBeLessThanOrEqual(maxBytes);
});
