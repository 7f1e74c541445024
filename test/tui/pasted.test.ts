import { expect } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { asked, type Screen, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
const remarks = numbers.map((number) => `review remark ${number}\n`).join('');
const named = '[Pasted text #1 +12 lines]';
/** One transparent pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
/** As it stands in a request. */
const inRequest = JSON.stringify(remarks.trim()).slice(1, -1);

async function pasteRemarks(screen: Screen): Promise<void> {
  screen.paste(remarks);
  await seen(screen, named);
}

function lastMessage({ provider }: Screen): string {
  return JSON.stringify(provider.received.at(-1)?.messages.at(-1));
}

function expectWhole(text: string): void {
  expect(text).toContain(inRequest);
  expect(text).not.toContain('Pasted text');
}

tmuxTest('a pasted reason for a no is read by the agent', () =>
  withScreen(
    [call('Bash', { command: 'touch made' }), say('I see.')],
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.type('n');
      await seen(screen, 'why (optional)');
      await pasteRemarks(screen);
      screen.press('Enter');
      await seen(screen, 'I see.');
      expect(lastMessage(screen)).toContain('The user said no: review remark 1');
      expectWhole(lastMessage(screen));
    },
    { flags: ['go'] },
  ),
);

tmuxTest('a pasted answer to a question of an agent is the answer', () =>
  withScreen(
    [
      call('AskUserQuestion', {
        questions: [
          {
            question: 'Which colour?',
            header: 'Colour',
            multiSelect: false,
            options: [
              { label: 'red', description: 'warm' },
              { label: 'blue', description: 'cold' },
            ],
          },
        ],
      }),
      say('I see.'),
    ],
    async (screen) => {
      await asked(screen, 'Which colour?');
      screen.type('o');
      await seen(screen, 'in your own words');
      await pasteRemarks(screen);
      screen.press('Enter');
      await seen(screen, 'I see.');
      expectWhole(lastMessage(screen));
    },
    { flags: ['go'] },
  ),
);

tmuxTest('text pasted in an agent’s view goes to that agent whole', () => {
  const released = Promise.withResolvers<void>();
  const agent = { subagent_type: 'general-purpose', description: 'find it', prompt: 'Your task: find it' };
  let steps = 0;
  const script = async ({ messages }: { messages: readonly unknown[] }) => {
    if (!JSON.stringify(messages[0]).includes('Your task'))
      return steps === 0 ? call('Agent', agent) : say('Ready.');
    if (steps++ === 0) return call('Bash', { command: 'echo at work' });
    await released.promise;
    return say(JSON.stringify(messages).includes(inRequest) ? 'It heard all of it.' : 'It heard nothing.');
  };
  return withScreen(
    script,
    async (screen) => {
      await seen(screen, /find it 1 tool/);
      screen.press('C-t');
      await seen(screen, 'return opens');
      screen.press('Enter');
      await seen(screen, 'Write to');
      await pasteRemarks(screen);
      screen.press('Enter');
      await seen(screen, 'Write to');
      released.resolve();
      await seen(screen, 'It heard all of it.');
    },
    {
      flags: [
        '--settings',
        '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}',
        '--allowedTools',
        'Bash(echo:*)',
        '--',
        'go',
      ],
    },
  );
});

tmuxTest('a pasted command runs as it was pasted', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.type('! ');
    await seen(screen, '❯ !');
    screen.paste(numbers.map((number) => `echo $((${number} * 1001))\n`).join(''));
    await seen(screen, `! ${named}`);
    screen.press('Enter');
    await seen(screen, '│ 12012');
    expect(screen.visible()).toContain('│ 1001');
  }),
);

tmuxTest('commands of the screen read what was pasted', () =>
  withScreen([say('Planned.')], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.type('/plan ');
    await seen(screen, '❯ /plan');
    await pasteRemarks(screen);
    screen.press('Enter');
    await seen(screen, 'Planned.');
    expectWhole(lastMessage(screen));
  }),
);

tmuxTest('an image cannot go to the shell: the prompt stays, and says so', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      screen.type('! touch made ');
      await seen(screen, '! touch made');
      screen.paste(join(screen.place.cwd, 'pixel.png'));
      await seen(screen, '[Image #1]');
      screen.press('Enter');
      await seen(screen, 'An image can only be sent to the agent');
      expect(screen.visible()).toContain('❯ ! touch made [Image #1]');
      expect(existsSync(join(screen.place.cwd, 'made'))).toBe(false);
    },
    { prepare: ({ cwd }) => writeFileSync(join(cwd, 'pixel.png'), pixel) },
  ),
);

tmuxTest('a sent prompt comes back with what was pasted, in this session and in the next', () =>
  withScreen([say('One.'), say('Two.')], async (first) => {
    await seen(first, 'anthropic/');
    first.type('mind these: ');
    await seen(first, 'mind these:');
    await pasteRemarks(first);
    first.press('Enter');
    await seen(first, 'One.');
    expectWhole(readFileSync(join(first.place.home, 'history.jsonl'), 'utf8'));
    first.press('Up');
    await seen(first, `❯ mind these: ${named}`);
    first.press('Enter');
    await seen(first, 'Two.');
    expectWhole(lastMessage(first));
    await withScreen(
      [say('Three.')],
      async (screen) => {
        await seen(screen, 'anthropic/');
        screen.press('Up');
        await seen(screen, `❯ mind these: ${named}`);
        screen.press('Enter');
        await seen(screen, 'Three.');
        expectWhole(lastMessage(screen));
      },
      { place: first.place },
    );
  }),
);
