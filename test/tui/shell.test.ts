import { expect } from 'bun:test';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, newPlace, type Screen, seen, settled, still, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

async function run(screen: Screen, text: string): Promise<void> {
  screen.type(text);
  await seen(screen, `❯ ${text}`);
  screen.press('Enter');
}

tmuxTest('what a command of the person printed goes with the next prompt, and wakes no model before', () =>
  withScreen([say('I see.')], async (screen) => {
    await seen(screen, 'anthropic/');
    await run(screen, '!echo made by $((40 + 2))');
    await seen(screen, '│ made by 42');
    expect(screen.provider.received).toHaveLength(0);
    await run(screen, 'what was that?');
    await seen(screen, 'I see.');
    const said = JSON.stringify(screen.provider.received[0]?.messages);
    expect(said).toContain('<cadre-shell command=');
    expect(said).toContain('made by 42');
    // What was typed is shown, not what was added to it.
    expect(screen.visible()).not.toContain('in a shell of their own');
  }),
);

tmuxTest('it shows what it prints while it runs, and escape stops it', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    await run(screen, '!echo begun; sleep 600; echo never');
    await seen(screen, '│ begun');
    await seen(screen, 'running · esc to stop');
    screen.press('Escape');
    await seen(screen, '│ stopped');
    await gone(screen, 'esc to stop');
  }),
);

tmuxTest('ctrl-c stops it too, and does not leave', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    await run(screen, '!sleep 600');
    await seen(screen, 'running · esc to stop');
    screen.press('C-c');
    await seen(screen, '│ stopped');
    expect(screen.visible()).not.toContain('ctrl-c again to quit');
  }),
);

tmuxTest('one that fails says how, to the person and to the agent', () =>
  withScreen([say('I see.')], async (screen) => {
    await seen(screen, 'anthropic/');
    await run(screen, '!exit 3');
    await seen(screen, '│ exit code 3');
    await run(screen, 'why?');
    await seen(screen, 'I see.');
    expect(JSON.stringify(screen.provider.received[0]?.messages)).toContain('exit code 3');
  }),
);

tmuxTest('a session that is gone on with shows it where it was, and paths as they were', async () => {
  const place = newPlace();
  await withScreen(
    [call('Write', { file_path: join(place.cwd, 'w.txt'), content: 'one\n' }), say('Written.')],
    async (screen) => {
      await seen(screen, 'anthropic/');
      await run(screen, '!cat < "a file"; echo "<shell> said"');
      await seen(screen, '│ <shell> said');
      await run(screen, '!exit 3');
      await seen(screen, '│ exit code 3');
      await run(screen, 'write it');
      await seen(screen, 'Written.');
      await settled(screen);
      const before = conversationOn(screen);
      expect(before).toContain('● Write w.txt');
      screen.press('C-d');
      await seen(screen, 'exit code 0');
      await withScreen(
        [],
        async (again) => {
          await seen(again, 'Written.');
          await settled(again);
          expect(conversationOn(again)).toBe(before);
        },
        { place, flags: ['--continue'] },
      );
    },
    { place, flags: ['--permission-mode', 'acceptEdits'] },
  );
});

/** Without the welcome above it, and without the line about what a request took: both are about this run of the program. */
function conversationOn({ visible, place }: Screen): string {
  const above = still(visible(), place).split(/^─+$/m)[0] ?? '';
  return above
    .slice(above.indexOf('! cat'))
    .replace(/^✓ Done .*\n/m, '')
    .trimEnd();
}

tmuxTest('colours and moves of the cursor are left out of what it prints, for the agent too', () =>
  withScreen([say('I see.')], async (screen) => {
    await seen(screen, 'anthropic/');
    await run(screen, "!printf '\\033[31mred\\033[0m\\033[2Kx\\r\\n50%%\\r100%%\\n'");
    await seen(screen, /│ redx\n\s+│ 100%\n/);
    await run(screen, 'what was that?');
    await seen(screen, 'I see.');
    const said = JSON.stringify(screen.provider.received[0]?.messages);
    expect(said).toContain('\\nredx\\n100%\\n');
    expect(said).not.toContain('\\u001b');
  }),
);

tmuxTest('another branch shows at once, whoever has changed to it', () =>
  withScreen(
    [call('Bash', { command: 'git checkout -q -b theirs' }), say('Done.')],
    async (screen) => {
      await seen(screen, 'anthropic/');
      await run(screen, '!git init -q -b mine');
      await seen(screen, '(mine)');
      await run(screen, 'another one');
      await seen(screen, '(theirs)');
    },
    { flags: ['--allowedTools', 'Bash(git:*)'] },
  ),
);

tmuxTest('leaving ends it', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    await run(screen, '!sleep 600.25');
    await seen(screen, 'running · esc to stop');
    await run(screen, '/quit');
    await seen(screen, 'exit code 0');
    expect(Bun.spawnSync(['pgrep', '-f', 'sleep 600\\.25']).stdout.toString()).toBe('');
  }),
);
