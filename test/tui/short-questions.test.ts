import { expect } from 'bun:test';
import { call, calls, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { asked, expectScreen, gone, readOn, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const long = Array.from({ length: 30 }, (_, index) => `touch line-${index + 1}`).join('\n');

for (const [columns, rows] of [
  [80, 24],
  [60, 20],
  [40, 15],
] as const) {
  const flags = ['go'];
  const size = `${columns}x${rows}`;

  tmuxTest(`at ${size} a question shows who asks, what would run and every answer (PE3)`, () =>
    withScreen(
      [
        call('Bash', {
          command: 'touch made-outside',
          description: 'Make a file',
          dangerouslyDisableSandbox: true,
        }),
        say('Done.'),
      ],
      async (screen) => {
        const now = await asked(screen, '$ touch made-outside');
        await settled(screen);
        for (const text of [
          'lead asks: Run',
          'y',
          'this agent',
          'session',
          'repository',
          'all projects',
          'no',
        ])
          expect(now).toContain(text);
        expectScreen(`question-${size}`, screen);
      },
      { flags, columns, rows },
    ),
  );

  tmuxTest(`at ${size} a long command shows its beginning, and the rest by pagedown`, () =>
    withScreen(
      [call('Bash', { command: long }), say('Done.')],
      async (screen) => {
        await asked(screen, 'lead asks: Run');
        await seen(screen, /\$ touch line-1$/m);
        await settled(screen);
        expectScreen(`long-question-${size}`, screen);
        for (let at = 0; at < 30 && !screen.visible().includes('touch line-30'); at++) {
          screen.press('PageDown');
          await settled(screen);
        }
        const end = await seen(screen, 'touch line-30');
        expect(end).toContain('lead asks: Run');
        await readOn(screen);
        for (let at = 0; at < 30; at++) screen.press('PageUp');
        await seen(screen, /\$ touch line-1$/m);
        screen.type('y');
        await seen(screen, 'Done.');
      },
      { flags, columns, rows },
    ),
  );
}

const agent = (name: string) =>
  call('Agent', { subagent_type: 'general-purpose', description: name, prompt: `touch ${name}` });

tmuxTest('three agents that ask at 80x24: each question shows its command and its asker (UI3)', () => {
  const asking = new Set<string>();
  return withScreen(
    async ({ messages }) => {
      const first = JSON.stringify(messages[0]);
      const who = ['one', 'two', 'three'].find((name) => first.includes(`touch ${name}`));
      if (!who)
        return messages.length < 3 ? calls([agent('one'), agent('two'), agent('three')]) : say('Back.');
      if (asking.has(who)) return say('Done.');
      asking.add(who);
      return call('Bash', { command: `touch ${who}` });
    },
    async (screen) => {
      await seen(screen, 'of 3');
      for (const _ of [1, 2, 3]) {
        const now = await asked(screen, '$ touch');
        const [, name = ''] = /\$ touch (\w+)/.exec(now) ?? [];
        expect(now).toContain(`general-purpose (${name}) asks: Run`);
        screen.type('y');
        await gone(screen, `$ touch ${name}`);
      }
      await seen(screen, 'Back.');
    },
    {
      flags: ['--settings', '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}', 'go'],
      columns: 80,
      rows: 24,
    },
  );
});
