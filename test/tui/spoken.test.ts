import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { asked, expectScreen, type Screen, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

const story = `# Heading

- item
  - nested
- [ ] open
- [x] done

> Somebody said so.

| Name | Size |
|---|---:|
| first | 12 |

---

\`\`\`ts
const a = 1;
\`\`\``;

const todos = [
  { content: 'Second', status: 'pending', activeForm: 'Doing the second' },
  { content: 'First', status: 'in_progress', activeForm: 'Doing the first' },
];

/** Lines, boxes, bullets, arrows and dots that nobody wants to hear. */
const signs = /[\u2500-\u25ff\u2190-\u21ff\u2713-\u2718❯•·☐☑✻✉◌⋯⋮∴]/;

async function hear(screen: Screen, text: string | RegExp): Promise<void> {
  await seen(screen, text);
  await settled(screen);
  expect(screen.visible().match(signs)?.[0]).toBeUndefined();
}

tmuxTest('read aloud, everything is words: answers, calls, questions, panels and keys', () =>
  withScreen(
    [
      say(story),
      calls([
        call('TodoWrite', { todos }),
        call('Write', { file_path: 'new.ts', content: 'const a = 1;\n' }),
      ]),
      say('Done.'),
    ],
    async (screen) => {
      await hear(screen, 'const a = 1;');
      await seen(screen, '$');
      expectScreen('spoken-answer', screen);
      for (const command of ['help', 'tasks', 'context', 'rewind']) {
        screen.type(`/${command}`);
        await hear(screen, new RegExp(`> ${command} `));
        screen.press('Enter');
        await hear(screen, 'esc goes back');
        expect(screen.visible()).not.toMatch(/\n\s*\n\s*\n/);
        screen.press('Escape');
        await hear(screen, /Prompt: Ask/);
      }
      screen.type('go on');
      await seen(screen, 'Prompt: go on');
      expect(screen.column()).toBe('Prompt: go on'.length);
      screen.press('Left');
      while (screen.column() !== 'Prompt: go o'.length) await Bun.sleep(20);
      screen.press('Enter');
      await asked(screen, 'lead asks: Create');
      await hear(screen, '1 added: const a = 1;');
      screen.type('y');
      await hear(screen, 'Done.');
    },
    { flags: ['--screen-reader', 'tell me'], rows: 34 },
  ),
);

tmuxTest('of a running command one hears what it is, and that escape stops it', () =>
  withScreen(
    [call('Bash', { command: 'cat a.txt; sleep 600' }), say('Stopped.')],
    async (screen) => {
      await hear(screen, 'a line of it');
      expect(screen.visible()).toMatch(/^Running: Bash cat a.txt; sleep 600/m);
      expect(screen.visible()).toMatch(/^working, .*, esc to stop$/m);
      screen.press('C-c');
      await hear(screen, 'ctrl-c again to quit');
      screen.press('Escape');
      await hear(screen, 'Stopped after');
    },
    {
      flags: ['--screen-reader', '--allowedTools', 'Bash', '--', 'go'],
      prepare: ({ cwd }) => writeFileSync(join(cwd, 'a.txt'), 'a line of it\n'),
    },
  ),
);
