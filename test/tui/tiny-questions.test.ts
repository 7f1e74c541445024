import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { readOn, type Screen, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

const script = () => [
  call('Bash', { command: 'touch small', description: 'Make a file', dangerouslyDisableSandbox: true }),
  say('Done.'),
];

const isMade = ({ place }: Screen) => existsSync(join(place.cwd, 'small'));

for (const rows of [9, 8, 7])
  tmuxTest(`80x${rows} is enough to see who asks, the command and the answers (PE3)`, () =>
    withScreen(
      script(),
      async (screen) => {
        await seen(screen, /esc sets it aside/);
        await settled(screen);
        for (const text of ['lead asks: Run', '$ touch small', 'y yes, once', 'n no'])
          expect(screen.visible()).toContain(text);
        // What is taller than the screen would leave copies of itself above it.
        expect(screen.screen().match(/y yes, once/g)).toHaveLength(1);
        await readOn(screen);
        screen.type('y');
        await seen(screen, 'Done.');
        expect(isMade(screen)).toBe(true);
      },
      { flags: ['go'], columns: 80, rows },
    ),
  );

for (const [columns, rows, word] of [
  [80, 5, 'taller'],
  [80, 3, 'taller'],
  [12, 4, 'Too small'],
  [12, 30, 'wider'],
] as const)
  tmuxTest(`at ${columns}x${rows} no answer is taken, since nobody can see the question (PE3)`, () =>
    withScreen(
      script(),
      async (screen) => {
        await seen(screen, word);
        await settled(screen);
        screen.type('y');
        await settled(screen);
        expect(isMade(screen)).toBe(false);
        screen.press('C-u');
        screen.resize(80, 24);
        await seen(screen, '$ touch small');
        await seen(screen, /esc sets it aside/);
        screen.type('y');
        await seen(screen, 'Done.');
        expect(isMade(screen)).toBe(true);
      },
      { flags: ['go'], columns, rows },
    ),
  );
