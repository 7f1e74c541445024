import { expect } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say, type TurnMaker } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { expectScreen, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('ctrl-b sends the command that the turn waits for to the background', () =>
  withScreen(
    [call('Bash', { command: 'echo begun; sleep 600' }), say('It goes on behind.'), say('It is over.')],
    async (screen) => {
      await seen(screen, '│ begun');
      screen.press('C-b');
      await seen(screen, 'It goes on behind.');
      await seen(screen, '1 task running');
      expect(JSON.stringify(screen.provider.received[1]?.messages)).toContain('moved this to the background');
      screen.press('C-t');
      await seen(screen, '1 running');
      expectScreen('moved-command', screen);
      screen.press('b');
      await seen(screen, 'It is already in the background.');
      screen.press('x');
      await seen(screen, 'y to stop it');
      screen.press('y');
      await seen(screen, '1 stopped');
      screen.press('b');
      await seen(screen, 'It has already ended.');
      screen.press('Escape');
      await seen(screen, 'It is over.');
      expect(screen.visible()).not.toContain('foreground');
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'] },
  ),
);

tmuxTest(
  'the plan of a background agent opens no dialog; called, it says when it ends as a no (PE3, PL3)',
  () =>
    withScreen(
      planning,
      async (screen) => {
        await seen(screen, '1 question waiting');
        expect(screen.visible()).not.toContain('has a plan');
        screen.press('C-q');
        await seen(screen, 'planner (later), in the background, has a plan');
        await seen(screen, 'Without an answer it is denied in');
      },
      {
        flags: ['--', 'go'],
        prepare({ home }) {
          mkdirSync(join(home, 'agents'), { recursive: true });
          writeFileSync(
            join(home, 'agents', 'planner.md'),
            '---\nname: planner\ndescription: plans\npermissionMode: plan\n---\nYou plan.\n',
          );
        },
      },
    ),
);

const planning: TurnMaker = (request) => {
  const said = JSON.stringify(request.messages);
  if (!said.includes('Plan it'))
    return call('Agent', {
      ...{ description: 'later', prompt: 'Plan it', subagent_type: 'planner', run_in_background: true },
    });
  if (request.system.some((text) => text.includes('You plan.'))) {
    const [file_path] = /There is no plan yet. Write it to (\S+\.md)/.exec(said)?.slice(1) ?? [];
    if (file_path === undefined || said.includes('First this')) return call('ExitPlanMode', {});
    return call('Write', { file_path, content: 'First this, then that.' });
  }
  return say('It is under way.');
};
