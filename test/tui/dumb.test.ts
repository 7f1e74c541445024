import { expect, test } from 'bun:test';
import { fakeProvider, say } from '../../src/testing/index.ts';
import { environmentOf, newPlace, program, unconfined } from '../cli/support.ts';

test('a terminal that can do nothing but print gets no escapes, from the first word to the last', async () => {
  await using provider = await fakeProvider({ script: [say('The **answer**.\n\nAnd more.')] });
  const place = newPlace();
  const decoder = new TextDecoder();
  let output = '';
  const child = Bun.spawn([program, ...unconfined, 'go'], {
    cwd: place.cwd,
    env: { ...environmentOf({ place, provider }), LANG: 'C.UTF-8', TERM: 'dumb' },
    terminal: {
      cols: 80,
      rows: 24,
      data(_: unknown, bytes: Uint8Array) {
        output += decoder.decode(bytes, { stream: true });
      },
    },
  });
  const shows = async (text: string) => {
    while (!output.includes(text)) await Bun.sleep(20);
  };
  await shows('And more.');
  child.terminal?.write('typed');
  await shows('Prompt: typed');
  child.terminal?.write('\u0003');
  await Bun.sleep(50);
  child.terminal?.write('\u0003');
  await shows('ctrl-c again to quit');
  child.terminal?.write('\u0003');
  await child.exited;
  expect(output).toContain('You: go');
  expect(output).toContain('Resume it');
  expect(output).not.toContain('\u001b');
  expect(output.split('And more.')).toHaveLength(2);
});
