import { expect, test } from 'bun:test';
import { fakeProvider } from '../../src/testing/index.ts';
import { cadre, newPlace } from './support.ts';

for (const [typed, meant] of [
  ['docter', 'doctor'],
  ['session', 'sessions'],
  ['task', 'tasks'],
  ['modles', 'models'],
] as const)
  test(`"cadre ${typed}" asks whether "${meant}" was meant, and sends nothing`, async () => {
    await using provider = await fakeProvider({ script: [] });
    const { code, err } = await cadre([typed], { place: newPlace(), provider });
    expect(code).toBe(2);
    expect(err).toContain(`"${typed}" is not a command. Did you mean "cadre ${meant}"?`);
    expect(err).toContain(`To send it as a prompt: cadre -- ${typed}`);
    expect(provider.requests).toEqual([]);
  });

test('real prompts are sent: several words, other words, after -- and with -p', async () => {
  for (const words of [['docter this'], ['commit'], ['post'], ['--', 'docter'], ['-p', 'docter']]) {
    const { err } = await cadre(words, { place: newPlace() });
    expect([words, err.includes('is not a command')]).toEqual([words, false]);
  }
});

test('"cadre help" shows the help', async () => {
  const { code, out } = await cadre(['help'], { place: newPlace() });
  expect([code, out.startsWith('Usage: cadre')]).toEqual([0, true]);
});
