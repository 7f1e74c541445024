import { expect } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre } from '../cli/support.ts';
import { needs } from '../support/index.ts';
import { asked, newPlace, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

/** One transparent pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

tmuxTest('the path of an image that is pasted becomes the image', () =>
  withScreen(
    [say('A pixel.')],
    async (screen) => {
      await seen(screen, 'anthropic/');
      screen.type(`\u001b[200~${join(screen.place.cwd, 'pixel.png')}\u001b[201~`);
      await seen(screen, '❯ [Image #1]');
      screen.type(' what is it?');
      await seen(screen, 'what is it?');
      screen.press('Enter');
      await seen(screen, 'A pixel.');
      expect(screen.visible()).toContain('(1 image)');
      const sent = JSON.stringify(screen.provider.received[0]?.messages);
      expect(sent).toContain(png.toString('base64'));
      expect(sent).not.toContain('pixel.png');
    },
    { prepare: ({ cwd }) => writeFileSync(join(cwd, 'pixel.png'), png) },
  ),
);

tmuxTest('a path that is pasted and leads to no image stays text', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'anthropic/');
      screen.type('look at ');
      screen.type('\u001b[200~./no.png\u001b[201~');
      await seen(screen, '❯ look at ./no.png');
      screen.type(' and \u001b[200~/nowhere/x.png\u001b[201~');
      await seen(screen, 'look at ./no.png and /nowhere/x.png');
    },
    { prepare: ({ cwd }) => writeFileSync(join(cwd, 'no.png'), 'a text') },
  ),
);

tmuxTest('a tape is played in the app, without a model', async () => {
  const place = newPlace();
  {
    await using provider = await fakeProvider({
      script: [call('Bash', { command: 'echo from the tape' }), say('It was so.')],
    });
    const flags = ['--record', 'run.tape', '--allowedTools', 'Bash', '-p', 'how was it?'];
    expect((await cadre(flags, { place, provider })).code).toBe(0);
  }
  await withScreen(
    [],
    async (screen) => {
      await seen(screen, 'It was so.');
      expect(screen.visible()).toContain('❯ how was it?');
      expect(screen.visible()).toContain('│ from the tape');
      expect(screen.provider.received).toHaveLength(0);
    },
    { place, flags: ['--replay', 'run.tape'] },
  );
});

tmuxTest('a light terminal has colours of its own', async () => {
  const colours = async (env: Record<string, string>) => {
    let shown = '';
    await withScreen(
      [say('**Bold** and `code`.')],
      async (screen) => {
        await seen(screen, 'Bold and');
        await seen(screen, /\$\d/);
        shown = screen.coloured();
      },
      { flags: ['go'], env, place: newPlace() },
    );
    return [...new Set(shown.match(/\u001b\[[\d;:]*[34]8[;:][\d;:]*m/g))].sort();
  };
  const light = await colours({ COLORFGBG: '0;15' });
  const dark = await colours({ COLORFGBG: '15;0' });
  expect(light.length).toBeGreaterThan(0);
  expect(light).not.toEqual(dark);
});

tmuxTest('an MCP server asks for something in a form, and gets what was given', () => {
  const script = join(import.meta.dirname, 'asking-server.script.ts');
  const servers = { mcpServers: { asking: { command: process.execPath, args: [script] } } };
  return withScreen(
    [call('mcp__asking__greet', {}), say('Greeted.')],
    async (screen) => {
      await asked(screen, 'Who is to be greeted?');
      expect(screen.visible()).toContain('Answer the server? (1 of 3)');
      screen.type('y');
      await seen(screen, 'Name');
      screen.press('Enter');
      screen.type('Ada');
      await seen(screen, /Ada/);
      screen.press('Enter');
      await seen(screen, 'green');
      screen.type('2');
      await seen(screen, 'Greeted.');
      const sent = JSON.stringify(screen.provider.received[1]?.messages);
      expect(sent.replaceAll('\\', '')).toContain(
        '"action":"accept","content":{"name":"Ada","colour":"green"}',
      );
    },
    {
      flags: [
        ...['--mcp-config', JSON.stringify(servers), '--strict-mcp-config'],
        ...['--allowedTools', 'mcp__asking', '--', 'go'],
      ],
      env: { CADRE_MCP_STARTUP_WAIT_MS: '20000' },
      rows: 30,
    },
  );
});

tmuxTest('/compact puts a summary in the place of the conversation', () =>
  withScreen(
    [say('A long answer.'), say('<summary>We spoke.</summary>'), say('Going on.')],
    async (screen) => {
      await seen(screen, 'A long answer.');
      await send(screen, '/compact what matters');
      await seen(screen, 'The conversation was compacted');
      await send(screen, 'and now?');
      await seen(screen, 'Going on.');
      const last = JSON.stringify(screen.provider.received.at(-1)?.messages);
      expect(last).toContain('We spoke.');
      expect(last).not.toContain('A long answer.');
    },
    { flags: ['begin'] },
  ),
);
