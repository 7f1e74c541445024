import { expect } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { expectScreen, gone, type Screen, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const write = (content: string) => call('Write', { file_path: 'note.txt', content });
const note = ({ place }: Screen) => readFileSync(join(place.cwd, 'note.txt'), 'utf8');

tmuxTest('/rewind brings conversation and files back to an earlier prompt, which can be sent again', () =>
  withScreen(
    [
      write('one'),
      say('Wrote one.'),
      call('Read', { file_path: 'note.txt' }),
      write('two'),
      say('Wrote two.'),
      say('Once more.'),
    ],
    async (screen) => {
      await seen(screen, 'Wrote one.');
      await send(screen, 'now write two');
      await seen(screen, 'Wrote two.');
      expect(note(screen)).toBe('two');
      await send(screen, '/rewind');
      await seen(screen, 'Go back to before which prompt?');
      expect(screen.visible()).toContain('❯ now write two');
      screen.press('Enter');
      await seen(screen, 'What do you want to restore?');
      expectScreen('rewind', screen);
      screen.press('Enter');
      const now = await seen(screen, 'Rewound to an earlier point; 1 file restored.');
      expect(now.match(/Rewound/g)).toHaveLength(1);
      expect(now).toContain('Restored note.txt.');
      await seen(screen, /^❯ now write two\n─/m);
      expect(note(screen)).toBe('one');
      screen.press('Enter');
      await seen(screen, 'Once more.');
      expect(JSON.stringify(screen.provider.received.at(-1)?.messages)).not.toContain('Wrote two.');
      await send(screen, '/rewind');
      const list = await seen(screen, 'undo the last /rewind: as it was before rewinding to: now wri');
      expect(list).toMatch(/❯ now write two .*\n +undo the last/);
    },
    { flags: ['--permission-mode', 'acceptEdits', 'write one'], rows: 40 },
  ),
);

tmuxTest('/rewind shows how far it is, and leaves what is typed meanwhile in the prompt', () =>
  withScreen(
    [
      call('Bash', { command: 'for n in $(seq 2000); do echo $n > file-$n; done' }),
      say('Made many.'),
      say('Other.'),
    ],
    async (screen) => {
      await seen(screen, 'Made many.');
      await send(screen, '/rewind');
      await seen(screen, 'before which prompt?');
      screen.press('Enter');
      const question = await seen(screen, 'What do you want to restore?');
      expect(question).toContain('Removes file-1, file-10, file-100, file-1000, file-1001 and 1995 more.');
      screen.press('Enter');
      await seen(screen, /restoring [\d,]+ of 2,000/);
      screen.type('my draft');
      const now = await seen(screen, 'Rewound to an earlier point; 2000 files removed.');
      expect(now).toContain('Removed file-1, file-10, file-100, file-1000, file-1001 and 1995 more.');
      await seen(screen, /^❯ my draft\n─/m);
      await gone(screen, 'restoring ');
      screen.press('C-u');
      screen.press('Up');
      await seen(screen, /^❯ make many\n─/m);
    },
    {
      flags: [
        ...['--settings', '{"sandbox":{"enabled":false}}', '--allowed-tools', 'Bash'],
        ...['--permission-mode', 'bypassPermissions', 'make many'],
      ],
      rows: 40,
    },
  ),
);

tmuxTest('/rewind says before it what it would end, and which files it leaves as they are', () =>
  withScreen(
    async ({ messages }) => {
      if (JSON.stringify(messages[0]).includes('Your task')) return hang(say('I look.'));
      const count = messages.filter((one) => JSON.stringify(one).includes('tool_result')).length;
      if (count === 0) return write('one');
      if (count > 1) return say('Started.');
      return call('Agent', {
        subagent_type: 'general-purpose',
        description: 'look around',
        prompt: 'Your task: look',
        run_in_background: true,
      });
    },
    async (screen) => {
      await seen(screen, 'Started.');
      writeFileSync(join(screen.place.cwd, 'note.txt'), 'mine');
      await send(screen, '/rewind');
      await seen(screen, 'before which prompt?');
      screen.press('Enter');
      const now = await seen(screen, 'What do you want to restore?');
      expect(now).toContain('This stops general-purpose (look around)');
      expect(now).toMatch(/Left as it is, since you or another program changed it .*: note\.txt\./);
    },
    {
      flags: [
        ...['--settings', '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}'],
        ...['--permission-mode', 'acceptEdits', 'write one'],
      ],
      columns: 120,
      rows: 40,
    },
  ),
);

tmuxTest('/rewind ends the command in the background that it says it ends', () =>
  withScreen(
    [write('one'), call('Bash', { command: 'sleep 217', run_in_background: true }), say('Started.')],
    async (screen) => {
      await seen(screen, 'Started.');
      await send(screen, '/rewind');
      await seen(screen, 'before which prompt?');
      screen.press('Enter');
      const now = await seen(screen, 'What do you want to restore?');
      expect(now).toContain('This stops sleep 217.');
      expect(now).not.toContain('Still running');
      screen.press('Enter');
      await seen(screen, 'Rewound');
      screen.press('C-u');
      await send(screen, '/quit');
      expect(await seen(screen, 'exit code 0')).not.toContain('Ended:');
    },
    {
      flags: [
        ...['--settings', '{"sandbox":{"enabled":false}}', '--allowed-tools', 'Bash'],
        ...['--permission-mode', 'acceptEdits', 'write one'],
      ],
      columns: 120,
      rows: 40,
    },
  ),
);

for (const [columns, length] of [
  [100, 80],
  [40, 30],
] as const)
  tmuxTest(`/rewind shortens a prompt before what is known of it, at ${columns} columns`, () =>
    withScreen(
      [write('one'), say('Wrote.')],
      async (screen) => {
        await seen(screen, 'Wrote.');
        await send(screen, '/rewind');
        await seen(screen, /❯ write (one )+.*… {2}\d\d:\d\d · 1 file$/m);
      },
      {
        flags: ['--permission-mode', 'acceptEdits', `write ${'one '.repeat(length / 4)}`.trim()],
        columns,
        rows: 40,
      },
    ),
  );

tmuxTest('what was typed in one session is there in the next', () =>
  withScreen([say('Hello.')], async (first) => {
    await seen(first, 'anthropic/');
    await send(first, 'remember these words');
    await seen(first, 'Hello.');
    first.press('C-d');
    await seen(first, 'exit code 0');
    await withScreen(
      [],
      async (second) => {
        await seen(second, 'anthropic/');
        second.press('Up');
        await seen(second, '❯ remember these words');
        second.press('C-c');
        await gone(second, '❯ remember these words');
      },
      { place: first.place },
    );
  }),
);
