import { expect } from 'bun:test';
import { call, calls, hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const quietAgents = '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}';

tmuxTest(
  'down goes to the rows below the prompt: up and down choose, return opens, x stops, escape leaves',
  () => {
    const agent = (description: string) =>
      call('Agent', {
        subagent_type: 'general-purpose',
        description,
        prompt: `Your task: ${description}`,
        run_in_background: true,
      });
    return withScreen(
      async ({ messages }) => {
        if (JSON.stringify(messages[0]).includes('Your task')) return hang(say('I look.'));
        return messages.length < 3 ? calls([agent('find it'), agent('read it')]) : say('They look.');
      },
      async (screen) => {
        await seen(screen, 'They look.');
        await gone(screen, 'esc to stop');
        const before = await seen(screen, /● general-purpose find it +running[\s\S]*read it +running/);
        // They are below the prompt, and no key is for them yet.
        expect(before.indexOf('find it')).toBeLessThan(before.lastIndexOf('● general-purpose'));
        expect(before).not.toContain('❯ ●');
        screen.press('Down');
        await seen(screen, /❯ ● general-purpose find it/);
        screen.press('Down');
        await seen(screen, /❯ ● general-purpose read it/);
        screen.press('Enter');
        await seen(screen, 'Your task: read it');
        screen.press('Escape');
        await seen(screen, 'They look.');
        screen.press('Down');
        await seen(screen, /❯ ● general-purpose find it/);
        screen.type('x');
        await seen(screen, 'Stop general-purpose (find it)? y to stop it');
        screen.type('y');
        await seen(screen, /❯ ● general-purpose read it/);
        expect(screen.visible()).not.toMatch(/find it +running/);
        screen.press('Escape');
        await gone(screen, '❯ ●');
        screen.type('typed');
        await seen(screen, '❯ typed');
      },
      { flags: ['--settings', quietAgents, '--', 'go'], rows: 40, columns: 100 },
    );
  },
);
