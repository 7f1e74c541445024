import { expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say, type Turn } from '../../src/testing/index.ts';
import { needs, until } from '../support/index.ts';
import { asked, expectScreen, gone, newPlace, type Screen, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const make = (name: string) => call('Bash', { command: `touch ${name}` });
const has = ({ place }: Screen, name: string) => existsSync(join(place.cwd, name));

/** Two calls of the same kind, and what the first answer means for the second. */
const twice: Turn[] = [make('made'), make('made'), say('Done.')];

tmuxTest('a question shows who asks what, why and how risky; y lets the call run once (PE3)', () =>
  withScreen(
    twice,
    async (screen) => {
      await asked(screen, '$ touch made');
      expectScreen('approval', screen);
      expect(has(screen, 'made')).toBe(false);
      screen.type('y');
      await gone(screen, 'esc sets it aside');
      await asked(screen, '$ touch made');
      expect(has(screen, 'made')).toBe(true);
      screen.type('y');
      await seen(screen, 'Done.');
    },
    { flags: ['go'] },
  ),
);

tmuxTest('s allows what the rule says for the session', () =>
  withScreen(
    twice,
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.type('s');
      await seen(screen, '❯ s');
      screen.press('Enter');
      await seen(screen, 'Done.');
      expect(has(screen, 'made')).toBe(true);
    },
    { flags: ['go'] },
  ),
);

tmuxTest('a allows it to this agent from now on, chosen with the arrows', () =>
  withScreen(
    twice,
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.press('Down');
      await seen(screen, '❯ a');
      screen.press('Enter');
      await seen(screen, 'Done.');
      expect(has(screen, 'made')).toBe(true);
    },
    { flags: ['go'] },
  ),
);

tmuxTest('r writes the rule down for this repository', () =>
  withScreen(
    twice,
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.type('r');
      await seen(screen, '❯ r');
      expect(existsSync(join(screen.place.cwd, '.cadre/settings.local.json'))).toBe(false);
      screen.press('Enter');
      await seen(screen, 'Done.');
      const file = readFileSync(join(screen.place.cwd, '.cadre/settings.local.json'), 'utf8');
      expect(file).toContain('Bash(touch made)');
    },
    { flags: ['go'] },
  ),
);

tmuxTest('n denies, and the agent reads why', () =>
  withScreen(
    [make('made'), say('I see.')],
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.type('n');
      await seen(screen, 'why (optional)');
      screen.type('not in this directory');
      await seen(screen, 'not in this directory');
      screen.press('Enter');
      await seen(screen, 'I see.');
      expect(has(screen, 'made')).toBe(false);
      const last = JSON.stringify(screen.provider.received.at(-1)?.messages.at(-1));
      expect(last).toContain('The user said no: not in this directory');
    },
    { flags: ['go'] },
  ),
);

tmuxTest('typing in the prompt is never taken for an answer, and is kept', () => {
  const typed = Promise.withResolvers<void>();
  const slow: Turn = async () => {
    await typed.promise;
    return make('made');
  };
  return withScreen(
    [slow, say('Done.')],
    async (screen) => {
      await seen(screen, 'working');
      screen.type('yes and no, y');
      await seen(screen, 'yes and no, y');
      typed.resolve();
      await seen(screen, '$ touch made');
      screen.type(' yyy');
      const now = await seen(screen, 'yes and no, y yyy');
      expect(now).toContain('ctrl-q answers');
      await settled(screen);
      expect(has(screen, 'made')).toBe(false);
      screen.press('C-q');
      await seen(screen, 'esc sets it aside');
      screen.type('y');
      await seen(screen, 'Done.');
      expect(await seen(screen, 'yes and no, y yyy')).toBeDefined();
      expect(has(screen, 'made')).toBe(true);
    },
    { flags: ['go'] },
  );
});

tmuxTest(
  'what is typed without looking goes to the prompt, also when it begins with the key of an answer',
  () =>
    withScreen(
      [make('made'), say('Done.')],
      async (screen) => {
        await asked(screen, '$ touch made');
        for (const key of 'update') {
          screen.type(key);
          await Bun.sleep(60);
        }
        await seen(screen, '❯ update');
        screen.type(' yes');
        await seen(screen, '❯ update yes');
        await settled(screen);
        expect(screen.visible()).toContain('$ touch made');
        expect(has(screen, 'made')).toBe(false);
        expect(existsSync(join(screen.place.home, 'settings.json'))).toBe(false);
      },
      { flags: ['go'] },
    ),
);

tmuxTest('words that come at once are no answer, and none of them is lost', () =>
  withScreen(
    [make('made'), say('Done.')],
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.type('yes, but why?');
      await seen(screen, '❯ yes, but why?');
      await settled(screen);
      expect(has(screen, 'made')).toBe(false);
    },
    { flags: ['go'] },
  ),
);

tmuxTest('a question that is put aside waits, and is called back by a key', () =>
  withScreen(
    [make('made'), say('Done.')],
    async (screen) => {
      await asked(screen, '$ touch made');
      screen.press('Escape');
      const aside = await seen(screen, '1 question waiting: ctrl-q answers');
      expect(aside).toMatch(/waiting for your answer · \S+ · esc to stop/);
      screen.press('C-q');
      await asked(screen, '$ touch made');
      screen.type('y');
      await seen(screen, 'Done.');
    },
    { flags: ['go'] },
  ),
);

/** Writes a plan into the file that the harness names. */
const planned: Turn = ({ messages }) => {
  const [, path = ''] = /(\/[^\s"\\]+\.md)/.exec(JSON.stringify(messages)) ?? [];
  return call('Write', { file_path: path, content: '# Plan\n\n1. first step\n2. second step\n' });
};

const agent = (description: string) =>
  call('Agent', { subagent_type: 'general-purpose', description, prompt: `touch ${description}` });

/** Agents ask for every edit, so that starting them is not asked about. */
const quietAgents = '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}';

/** The lead starts two agents, each of which asks; then a third question comes while a dialog is open. */
function team(second: Promise<void>, third: Promise<void>) {
  const steps = new Map<string, number>();
  return async ({ messages }: { messages: readonly unknown[] }) => {
    const first = JSON.stringify(messages[0]);
    const who = ['one', 'two', 'late'].find((name) => first.includes(`touch ${name}`)) ?? 'lead';
    const step = steps.get(who) ?? 0;
    steps.set(who, step + 1);
    if (who === 'lead')
      return step === 0 ? calls([agent('one'), agent('two'), agent('late')]) : say('All are back.');
    if (who === 'late' && step === 0) await third;
    if (who === 'two' && step === 0) await second;
    return step === 0 ? make(who) : say(`${who} is done.`);
  };
}

tmuxTest(
  'two questions from two agents and a third while a dialog is open: each answer reaches its asker (UI3)',
  () => {
    const [second, third] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    return withScreen(
      team(second.promise, third.promise),
      async (screen) => {
        // So that it is known who is asked about first.
        await seen(screen, '$ touch one');
        second.resolve();
        await seen(screen, 'of 2');
        await asked(screen, 'asks: Run');
        const order: string[] = [];
        for (const round of [1, 2, 3]) {
          const now = await asked(screen, '$ touch');
          const name = /\$ touch (\w+)/.exec(now)?.[1] ?? '';
          expect(now).toContain(`general-purpose (${name}) asks: Run`);
          order.push(name);
          if (round === 1) {
            third.resolve();
            await seen(screen, 'question 1 of 3');
            expect(screen.visible()).toContain(`$ touch ${name}`);
            expectScreen('three-questions', screen);
          }
          if (name === 'two') {
            screen.type('n');
            await seen(screen, 'why (optional');
            screen.press('Enter');
          } else screen.type('y');
          await gone(screen, `$ touch ${name}`);
        }
        expect(order.sort()).toEqual(['late', 'one', 'two']);
        await seen(screen, 'All are back.');
        expect([has(screen, 'one'), has(screen, 'two'), has(screen, 'late')]).toEqual([true, false, true]);
      },
      { flags: ['--settings', quietAgents, 'go'], rows: 40 },
    );
  },
);

tmuxTest('after ctrl-q the questions of agents in the background come one after another', () => {
  const asking = new Set<string>();
  return withScreen(
    async ({ messages }) => {
      const first = JSON.stringify(messages[0]);
      const who = ['one', 'two'].find((name) => first.includes(`touch ${name}`));
      const inBackground = (name: string) =>
        call('Agent', {
          ...{ subagent_type: 'general-purpose', description: name, prompt: `touch ${name}` },
          run_in_background: true,
        });
      if (!who) return messages.length < 3 ? calls(['one', 'two'].map(inBackground)) : say('Started.');
      if (asking.has(who)) return say('Done.');
      asking.add(who);
      return make(who);
    },
    async (screen) => {
      await seen(screen, '2 questions waiting: ctrl-q answers');
      screen.press('C-q');
      for (const _ of [1, 2]) {
        const now = await asked(screen, '$ touch');
        const [, name = ''] = /\$ touch (\w+)/.exec(now) ?? [];
        screen.type('y');
        await gone(screen, `$ touch ${name}`);
      }
      await until(() => has(screen, 'one') && has(screen, 'two'));
    },
    { flags: ['--settings', quietAgents, 'go'] },
  );
});

tmuxTest('a repository that brings settings of its own is asked about before they count', () =>
  withScreen(
    [make('made'), say('Done.')],
    async (screen) => {
      await seen(screen, 'y yes  n no');
      expectScreen('trust', screen);
      await answerTrust(screen, 'y');
      await seen(screen, 'Done.');
      expect(has(screen, 'made')).toBe(true);
    },
    {
      flags: ['go'],
      prepare({ cwd }) {
        mkdirSync(join(cwd, '.cadre'));
        writeFileSync(
          join(cwd, '.cadre/settings.json'),
          '{ "permissions": { "allow": ["Bash(touch made)"] } }',
        );
      },
    },
  ),
);

tmuxTest(
  'what a repository asks for stays without effect when the answer is no, which is remembered until it changes',
  () =>
    withScreen(
      [make('made'), say('Done.')],
      async (screen) => {
        await seen(screen, 'y yes  n no');
        await answerTrust(screen, 'n');
        await screen.shows('Run cadre trust to be asked again');
        await asked(screen, '$ touch made');
        const { place } = screen;
        await withScreen([], async (again) => void (await seen(again, 'anthropic/')), { place });
        writeAllowed(place.cwd, 'touch other');
        await withScreen([], async (again) => void (await seen(again, 'y yes  n no')), { place });
      },
      {
        flags: ['go'],
        prepare: ({ cwd }) => writeAllowed(cwd, 'touch made'),
      },
    ),
);

tmuxTest('blanks in what a repository asks for are shown, however many: words are never joined', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'y yes  n no');
      expect(screen.visible()).not.toContain('./build~/work');
    },
    { flags: ['go'], prepare: ({ cwd }) => writeAllowed(cwd, `rm -rf ./build${' '.repeat(100)}~/work`) },
  ),
);

/** The question ignores keys in its first moment, so the key is pressed until something happens. */
async function answerTrust(screen: Screen, key: 'y' | 'n'): Promise<void> {
  for (const before = screen.visible(); screen.visible() === before; await settled(screen)) screen.type(key);
}

function writeAllowed(cwd: string, command: string): void {
  mkdirSync(join(cwd, '.cadre'), { recursive: true });
  const settings = { permissions: { allow: [`Bash(${command})`] } };
  writeFileSync(join(cwd, '.cadre/settings.json'), JSON.stringify(settings));
}

tmuxTest('a plan is approved, and edits are accepted from then on if the person says so', () =>
  withScreen(
    [planned, call('ExitPlanMode', {}), call('Write', { file_path: 'made', content: 'x' }), say('Done.')],
    async (screen) => {
      await asked(screen, 'Approve this plan?');
      expectScreen('plan', screen);
      screen.type('a');
      await seen(screen, '❯ a');
      screen.press('Enter');
      await seen(screen, 'Done.');
      await seen(screen, 'accepts edits');
      expect(has(screen, 'made')).toBe(true);
    },
    { flags: ['--permission-mode', 'plan', 'plan it'] },
  ),
);

tmuxTest('a plan is changed in the editor of the person, and that one is approved', () =>
  withScreen(
    [planned, call('ExitPlanMode', {}), say('Done.')],
    async (screen) => {
      await asked(screen, 'Approve this plan?');
      screen.type('e');
      await seen(screen, 'and then rest');
      await asked(screen, 'Approve this plan?');
      screen.type('y');
      await seen(screen, 'Done.');
      const last = JSON.stringify(screen.provider.received.at(-1)?.messages.at(-1));
      expect(last).toContain('and then rest');
    },
    {
      flags: ['--permission-mode', 'plan', 'plan it'],
      env: { EDITOR: "sed -i 's/second step/second step, and then rest/'" },
    },
  ),
);

tmuxTest('a plan is sent back with words', () =>
  withScreen(
    [planned, call('ExitPlanMode', {}), say('I think again.')],
    async (screen) => {
      await asked(screen, 'Approve this plan?');
      screen.type('n');
      await seen(screen, 'what should be different');
      screen.type('fewer steps');
      screen.press('Enter');
      await seen(screen, 'I think again.');
      const last = JSON.stringify(screen.provider.received.at(-1)?.messages.at(-1));
      expect(last).toContain('fewer steps');
    },
    { flags: ['--permission-mode', 'plan', 'plan it'] },
  ),
);

tmuxTest("an agent that wants to know something gets the choice, or words of one's own", () =>
  withScreen(
    [
      call('AskUserQuestion', {
        questions: [
          {
            question: 'Which colour?',
            header: 'Colour',
            multiSelect: false,
            options: [
              { label: 'red', description: 'warm' },
              { label: 'blue', description: 'cold' },
            ],
          },
          {
            question: 'Which sizes?',
            header: 'Sizes',
            multiSelect: true,
            options: [
              { label: 'small', description: 's' },
              { label: 'large', description: 'l' },
            ],
          },
        ],
      }),
      say('Done.'),
    ],
    async (screen) => {
      await asked(screen, 'Which colour?');
      expectScreen('choices', screen);
      screen.type('2');
      await seen(screen, 'Which sizes? (2 of 2)');
      screen.type('1');
      await seen(screen, '[x] small');
      screen.type('2');
      await seen(screen, '[x] large');
      screen.press('Enter');
      await seen(screen, 'Done.');
      const last = JSON.stringify(screen.provider.received.at(-1)?.messages.at(-1));
      expect(last).toContain('blue');
      expect(last).toContain('large');
    },
    { flags: ['go'] },
  ),
);

tmuxTest('TS6 what a dream proposes waits with its diff, and y makes the changes', async () => {
  const place = newPlace();
  const memory = join(place.cwd, 'AGENTS.md');
  writeFileSync(memory, '# Notes\n\n- Old fact.\n');
  await withScreen(
    [say('Use npm test.')],
    async (screen) => {
      await seen(screen, 'Use npm test.');
      screen.press('C-d');
      await seen(screen, 'exit code 0');
    },
    { flags: ['go'], place },
  );
  const notes = { why: 'Tests.', add: ['- Tests: npm test.'], remove: ['- Old fact.'] };
  await withScreen(
    [say('Hello.'), say(JSON.stringify(notes))],
    async (screen) => {
      await seen(screen, '1 question waiting: ctrl-q answers');
      screen.press('C-q');
      await asked(screen, 'Make these changes in the memory file?');
      await settled(screen);
      expectScreen('dream', screen);
      expect(readFileSync(memory, 'utf8')).toContain('Old fact');
      screen.type('y');
      await seen(screen, 'was updated.');
      expect(readFileSync(memory, 'utf8')).toBe('# Notes\n\n- Tests: npm test.\n');
    },
    { flags: ['--settings', dreamSoon, 'hi'], place },
  );
});

const dreamSoon = '{"sandbox":{"enabled":false},"dream":{"enabled":true,"idleMinutes":0.01}}';

tmuxTest('a question about a type of agents says that a yes is for all of them', () =>
  withScreen(
    async ({ messages }) =>
      JSON.stringify(messages[0]).includes('Your task') || messages.length > 2
        ? say('Done.')
        : call('Agent', {
            subagent_type: 'general-purpose',
            description: 'look',
            prompt: 'Your task: look',
          }),
    async (screen) => {
      const now = await asked(screen, 'lead asks:');
      expect(now).not.toContain('subagent_type');
      expect(now).toContain(
        'Let general-purpose agents edit files in the workspace without asking each time?',
      );
      expect(now).toMatch(
        /Agents in\s+their own\s+worktree edit there without asking; you are\s+asked\s+before\s+their\s+work\s+lands\./,
      );
      expect(now).toContain('❯ y  yes, for this session');
      expect(now).toContain('  n  no, ask before each edit');
      screen.type('y');
      await seen(screen, 'Done.');
    },
    { flags: ['go'], rows: 40 },
  ),
);
