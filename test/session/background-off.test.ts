import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { call, say } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { place } from './support.ts';

for (const variable of ['CADRE_DISABLE_BACKGROUND_TASKS', 'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS'])
  test(`EX1 ${variable} covers commands and monitors, for the lead and for agents`, async () => {
    const at = place();
    mkdirSync(at.cwd, { recursive: true });
    const environment = { ...at.environment, [variable]: '1' };
    const behind = () => call('Bash', { command: 'echo x', run_in_background: true });
    const story = await openStory(
      {
        lead: [
          behind(),
          call('Bash', { command: 'echo here' }),
          call('Agent', { description: 'x', prompt: 'Try' }),
          say('Ok.'),
        ],
        agents: { Try: [behind(), say('Tried.')] },
      },
      { permissionMode: 'bypassPermissions' },
      { ...at, environment },
    );
    await story.prompt('Go');
    expect(story.results()[0]).toContain('switched off');
    expect(story.results()[1]).toBe('here');
    expect(JSON.stringify(story.requestsOf('Try')[1]?.messages.at(-1))).toContain('switched off');
    expect(story.session.tasks().filter(({ kind }) => kind === 'local_bash')).toEqual([]);
    const tools = story.leadRequests()[0]?.tools ?? [];
    expect(tools.map(({ name }) => name)).not.toContain('Monitor');
    expect(tools.find(({ name }) => name === 'Bash')?.description).not.toContain('set run_in_background');
    await story.session.close();
  });
