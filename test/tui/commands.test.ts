import { expect } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { expectScreen, gone, isAlive, makeRepository, type Screen, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

async function ready(screen: Screen): Promise<void> {
  await seen(screen, 'anthropic/');
}

async function run(screen: Screen, command: string): Promise<void> {
  screen.type(command);
  await seen(screen, `❯ ${command}`);
  screen.press('Enter');
}

tmuxTest('/help shows keys and commands, and escape goes back', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      await run(screen, '/help');
      await seen(screen, 'esc goes back');
      expectScreen('help', screen);
      screen.press('Escape');
      await seen(screen, '❯ Ask');
    },
    { rows: 50 },
  ),
);

const pages: readonly (readonly [command: string, shows: string])[] = [
  ['/agents', 'general-purpose'],
  ['/hooks', 'No hooks.'],
  ['/skills', 'None yet.'],
  ['/workflows', 'chain, parallel, branch; start one with cadre run NAME'],
  ['/doctor', 'ripgrep'],
  ['/permissions', 'Mode: default'],
  ['/mcp', 'cadre mcp add'],
  ['/memory', 'Be kind to the reader.'],
  ['/cost', 'total'],
  ['/context', 'tokens of'],
  ['/config', 'type to search'],
  ['/model', 'Which model?'],
];

tmuxTest(
  'each command that shows something shows it on a page of its own',
  () =>
    withScreen(
      [say('Hello.')],
      async (screen) => {
        await seen(screen, 'Hello.');
        await seen(screen, /\$\d/);
        for (const [command, shows] of pages) {
          await run(screen, command);
          await seen(screen, /esc\s+goes\s+back/);
          expect(screen.visible()).toContain(shows);
          screen.press('Escape');
          await seen(screen, '❯ Ask');
        }
      },
      {
        flags: ['hello'],
        rows: 40,
        columns: 100,
        prepare: ({ cwd }) => writeFileSync(join(cwd, 'AGENTS.md'), 'Be kind to the reader.\n'),
      },
    ),
  60_000,
);

tmuxTest('/model lists what the aliases mean where the provider does not list its models', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      await run(screen, '/model');
      await seen(screen, /anthropic\/claude-opus-\S+ +anthropic did not list/);
      expect(screen.visible()).not.toContain('No provider is set up');
    },
    { env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } },
  ),
);

tmuxTest('/exit quits as /quit does', () =>
  withScreen([], async (screen) => {
    await ready(screen);
    await run(screen, '/exit');
    await seen(screen, 'exit code 0');
  }),
);

tmuxTest('shift-tab goes through the modes', () =>
  withScreen([], async (screen) => {
    await ready(screen);
    for (const words of ['accepts edits', 'plan mode', ' asks before edits']) {
      screen.press('BTab');
      await seen(screen, words);
    }
  }),
);

tmuxTest('/plan begins plan mode with what is to be planned', () =>
  withScreen([say('I look around first.')], async (screen) => {
    await ready(screen);
    await run(screen, '/plan mend the roof');
    await seen(screen, 'I look around first.');
    expect(screen.visible()).toContain('plan mode');
    expect(JSON.stringify(screen.provider.received[0]?.messages)).toContain('mend the roof');
  }),
);

tmuxTest('/model takes another model; one that there is not is refused', () =>
  withScreen([say('Other.')], async (screen) => {
    await ready(screen);
    await run(screen, '/model anthropic/claude-haiku-4-5');
    await seen(screen, /· anthropic\/claude-haiku-4-5/);
    await run(screen, '/model nobody/knows-this');
    await seen(screen, '! ');
    expect(screen.visible()).toContain('nobody');
  }),
);

tmuxTest('/clear begins anew, and /resume goes back to what was', () =>
  withScreen(
    [say('The first answer.'), say('The second answer.')],
    async (screen) => {
      await seen(screen, 'The first answer.');
      await run(screen, '/clear');
      await seen(screen, 'Started a new session.');
      await run(screen, 'anew');
      await seen(screen, 'The second answer.');
      expect(JSON.stringify(screen.provider.received[1]?.messages)).not.toContain('The first answer.');
      await run(screen, '/resume');
      await seen(screen, 'Resume which session?');
      screen.press('Enter');
      await gone(screen, 'Resume which session?');
      await seen(screen, /The second answer\.[\s\S]*The first answer\./);
    },
    { flags: ['begin'], rows: 40 },
  ),
);

tmuxTest('/resume tells copies apart, in the time of this place, and leaps through many', () =>
  withScreen(
    [say('One.'), say('Two.')],
    async (screen) => {
      const hour = () => new Date(Date.now() + 14 * 3_600_000).toISOString().slice(11, 13);
      const started = hour();
      await seen(screen, 'One.');
      await run(screen, '/fork');
      await seen(screen, 'Now working in a copy.');
      await run(screen, 'and then');
      await seen(screen, 'Two.');
      await run(screen, '/fork');
      await seen(screen, /Now working in a copy\.[\s\S]*Now working in a copy\./);
      await run(screen, '/resume');
      const list = await seen(screen, 'Resume which session?');
      const hours = [started, hour()];
      const when = `(?:${hours.join('|')}):\\d\\d · [0-9a-f]{8}`;
      expect(list).toMatch(new RegExp(`❯ begin {2}${when} · a copy · last: `));
      expect(list).toMatch(new RegExp(`  begin {2}${when} +│`));
      expect(list).not.toContain(' of 2');
      screen.press('End');
      await seen(screen, /❯ begin.*[0-9a-f]{8} +│/);
      screen.resize(100, 6);
      await seen(screen, '2 of 2 · return resumes it');
    },
    { flags: ['begin'], columns: 100, rows: 40, env: { TZ: 'Pacific/Kiritimati' } },
  ),
);

tmuxTest('/fork goes on in a copy', () =>
  withScreen(
    [say('The first answer.'), say('In the copy.')],
    async (screen) => {
      await seen(screen, 'The first answer.');
      await run(screen, '/fork');
      await seen(screen, 'Now working in a copy.');
      await run(screen, 'go on');
      await seen(screen, 'In the copy.');
      expect(JSON.stringify(screen.provider.received[1]?.messages)).toContain('The first answer.');
    },
    { flags: ['begin'], rows: 40 },
  ),
);

tmuxTest('a session in which nothing was said is no place to go back to', () =>
  withScreen([], async (screen) => {
    await ready(screen);
    await run(screen, '/fork');
    await seen(screen, 'There is nothing to copy: the conversation is empty.');
    await run(screen, '/clear');
    await seen(screen, /Started a new session\.$/m);
    await run(screen, '/resume 0123abcd');
    await seen(screen, 'No session "0123abcd"');
    expect(screen.visible()).not.toContain('Previous session');
  }),
);

tmuxTest('! runs a command of the person, and shows what it prints', () =>
  withScreen([say('I see it.')], async (screen) => {
    await ready(screen);
    screen.type('!echo made by me');
    await seen(screen, '❯ !echo made by me');
    screen.press('Enter');
    await seen(screen, '│ made by me');
  }),
);

tmuxTest('@ offers files, and tab puts one in', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      screen.type('look at @read');
      await seen(screen, '❯ lib/reader.ts');
      screen.press('Tab');
      await seen(screen, '❯ look at @lib/reader.ts');
    },
    {
      prepare({ cwd }) {
        makeRepository(cwd);
        mkdirSync(join(cwd, 'lib'));
        writeFileSync(join(cwd, 'lib/reader.ts'), '');
      },
    },
  ),
);

tmuxTest('@ offers a file that was made a moment ago', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      screen.type('@');
      await seen(screen, 'older.txt');
      screen.press('BSpace');
      await gone(screen, 'older.txt');
      writeFileSync(join(screen.place.cwd, 'newer.txt'), '');
      screen.type('@');
      await seen(screen, 'newer.txt');
    },
    { prepare: ({ cwd }) => writeFileSync(join(cwd, 'older.txt'), '') },
  ),
);

tmuxTest('/ offers commands, those of the user among them', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      screen.type('/');
      await seen(screen, 'keys and commands');
      screen.type('gree');
      await seen(screen, 'Greets the person');
      screen.press('Tab');
      await seen(screen, '❯ /greet');
    },
    {
      prepare({ userHome }) {
        mkdirSync(join(userHome, '.claude/commands'), { recursive: true });
        writeFileSync(
          join(userHome, '.claude/commands/greet.md'),
          '---\ndescription: Greets the person\n---\nSay hello.\n',
        );
      },
    },
  ),
);

tmuxTest('what is pasted counts for what is offered', () =>
  withScreen(
    [say('Read.')],
    async (screen) => {
      await ready(screen);
      screen.type('read @REA');
      await seen(screen, '❯ README.md');
      screen.paste('DME.md and more');
      await seen(screen, '❯ read @README.md and more');
      screen.press('Enter');
      await seen(screen, 'Read.');
      expect(screen.visible()).toContain('❯ read @README.md and more');
      screen.type('/he');
      await seen(screen, / help .*keys and commands/);
      screen.paste('lp me');
      const now = await seen(screen, '❯ /help me');
      expect(now).not.toMatch(/ help .*keys and commands/);
    },
    { prepare: ({ cwd }) => writeFileSync(join(cwd, 'README.md'), 'Words.') },
  ),
);

tmuxTest('what was typed before comes back with the arrow', () =>
  withScreen([say('One.')], async (screen) => {
    await ready(screen);
    await run(screen, 'the first thing');
    await seen(screen, 'One.');
    screen.press('Up');
    await seen(screen, /^❯ the first thing\n─/m);
  }),
);

tmuxTest('what is sent while the agent works is shown until it is read', () =>
  withScreen(
    [hang(say('I work'))],
    async (screen) => {
      await seen(screen, 'I work');
      await run(screen, 'and also this');
      await seen(screen, '⋯ and also this');
    },
    { flags: ['go'] },
  ),
);

tmuxTest('a page with lines that are broken can be scrolled to its end', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      await run(screen, '/help');
      const [, total = ''] = /of (\d+)/.exec(await seen(screen, /· 1–\d+ of \d+/)) ?? [];
      for (let at = 0; at < 12; at++) screen.press('PageDown');
      await seen(screen, `–${total} of ${total}`);
    },
    { columns: 60, rows: 20 },
  ),
);

tmuxTest("the user's own command prints the status line", () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'mine: default in work');
    },
    {
      prepare({ home }) {
        mkdirSync(home, { recursive: true });
        const command = `sed 's/.*"permission_mode":"\\([a-zA-Z]*\\)".*/mine: \\1 in work/'`;
        writeFileSync(
          join(home, 'settings.json'),
          JSON.stringify({ statusLine: { type: 'command', command } }),
        );
      },
    },
  ),
);

const ownStatus = (command: string) => ({
  prepare({ home }: { home: string }) {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ statusLine: { type: 'command', command } }));
  },
});

tmuxTest(
  'what a slow command for the status line has printed is shown, and nothing of it is left on leaving',
  () =>
    withScreen(
      [],
      async (screen) => {
        await seen(screen, 'mine so far');
        const file = join(screen.place.cwd, 'pid');
        const pid = Number(readFileSync(file, 'utf8'));
        screen.press('C-d');
        await seen(screen, 'exit code 0');
        expect(isAlive(pid)).toBe(false);
      },
      ownStatus('sleep 97 & echo $! > pid; echo mine so far; wait'),
    ),
);

tmuxTest('/cost is of the running session, also of one that is kept nowhere', () =>
  withScreen(
    [say('Hello.')],
    async (screen) => {
      await seen(screen, 'Hello.');
      await seen(screen, /\$\d/);
      await run(screen, '/cost');
      await seen(screen, /lead +anthropic\/claude\S+ +1 /);
    },
    { flags: ['--no-session-persistence', 'hello'], columns: 120 },
  ),
);

tmuxTest('a page that takes a moment takes no keys from somebody who types', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      screen.type('/doctor\rand then this');
      await seen(screen, /cadre doctor[\s\S]*❯ and then this/);
    },
    { rows: 60 },
  ),
);

tmuxTest('a command that there is not is not sent, and stays to be mended', () =>
  withScreen([say('It is full.')], async (screen) => {
    await ready(screen);
    await run(screen, '/cots');
    await seen(screen, 'Unknown command /cots. Did you mean /cost?');
    await seen(screen, '❯ /cots');
    expect(screen.provider.received).toHaveLength(0);
    screen.press('C-c');
    await gone(screen, '❯ /cots');
    await run(screen, '/tmp is full');
    await seen(screen, 'It is full.');
    expect(JSON.stringify(screen.provider.received.at(-1)?.messages)).toContain('/tmp is full');
  }),
);

tmuxTest('a path is a prompt', () =>
  withScreen([say('Which one?')], async (screen) => {
    await ready(screen);
    await run(screen, '/nosuch/bin/x does not work');
    await seen(screen, 'Which one?');
  }),
);

tmuxTest('a command that there is not, on the command line, waits in the prompt', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'Unknown command /nosuch.');
      await seen(screen, '❯ /nosuch now');
      expect(screen.provider.received).toHaveLength(0);
    },
    { flags: ['/nosuch now'] },
  ),
);

tmuxTest('/model refuses what can be none, and says where it cannot know', () =>
  withScreen(
    [],
    async (screen) => {
      const model = /anthropic\/\S+/.exec(await seen(screen, /anthropic\/\S+/))?.[0] ?? '';
      await run(screen, '/model nobody/nosuch');
      await seen(screen, "unknown provider 'nobody'");
      await seen(screen, `asks before edits and unsandboxed commands · ${model}`);
      await run(screen, "/model ''");
      await seen(screen, "'' is not a valid model name");
      await run(screen, '/model nosuch');
      await seen(screen, 'Switched to anthropic/nosuch, which is not a known model');
      await run(screen, `/model ${model}`);
      await seen(screen, `Switched to ${model}.`);
    },
    { columns: 140, rows: 40 },
  ),
);

tmuxTest('/clear keeps the mode and the model', () =>
  withScreen(
    [],
    async (screen) => {
      await ready(screen);
      await run(screen, '/model anthropic/claude-haiku-4-5');
      await seen(screen, 'Switched to anthropic/claude-haiku-4-5.');
      for (const mode of ['accepts edits', 'plan mode']) {
        screen.press('BTab');
        await seen(screen, mode);
      }
      await run(screen, '/clear');
      await seen(screen, 'Started a new session.');
      await seen(screen, 'plan mode · anthropic/claude-haiku-4-5');
    },
    { columns: 120 },
  ),
);

tmuxTest('what a command of the user’s own stands for is no title', () =>
  withScreen(
    [say('Done.')],
    async (screen) => {
      await ready(screen);
      await run(screen, '/greet the moon');
      await seen(screen, 'Done.');
      await run(screen, '/cost');
      await seen(screen, /^Cost\n\n\S+ {2}\/greet the moon$/m);
      screen.press('Escape');
      await seen(screen, '❯ Ask');
      await run(screen, '/clear');
      await seen(screen, 'Started a new session.');
      await run(screen, '/resume');
      await seen(screen, /❯ \/greet the moon {2}/);
    },
    {
      columns: 120,
      prepare({ home }) {
        mkdirSync(join(home, 'commands'), { recursive: true });
        writeFileSync(join(home, 'commands', 'greet.md'), 'Say hello to $ARGUMENTS in three languages.\n');
      },
    },
  ),
);
