import { expect } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, expecting, fakeProvider, say, type Turn } from '../../src/testing/index.ts';
import { needs, openPane, type Pane } from '../support/index.ts';
import { cadre, environmentOf, newPlace, type Place, program, unconfined } from './support.ts';

const tmuxTest = needs('tmux');
const make = (name: string) => call('Bash', { command: `touch ${name}` });

async function withPane(
  script: Turn[],
  body: (pane: Pane, place: Place) => Promise<void>,
  more: { flags?: string[]; columns?: number; prepare?(place: Place): void } = {},
): Promise<void> {
  const place = newPlace();
  more.prepare?.(place);
  await using provider = await fakeProvider({ script });
  const pane = openPane({
    // Confined, most of these commands would not be asked about.
    command: [program, '-p', 'Go.', ...unconfined, ...(more.flags ?? [])],
    cwd: place.cwd,
    env: environmentOf({ place, provider }),
    ...(more.columns ? { columns: more.columns } : {}),
  });
  try {
    await body(pane, place);
    provider.assertConsumed();
  } finally {
    pane.close();
  }
}

async function auditOf(place: Place): Promise<Record<string, unknown>[]> {
  const { out } = await cadre(['audit', '--json'], { place });
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

tmuxTest('a question at the terminal shows who, what, why and how risky, and y lets the call run once', () =>
  withPane([make('made'), make('other'), say('Done.')], async (pane, place) => {
    const screen = await pane.shows('y once');
    expect(screen).toContain('lead asks: Bash');
    expect(screen).toContain('$ touch made');
    expect(screen).toContain('why: no rule allows');
    expect(screen).toContain('risk: low');
    expect(screen).toContain('rule: Bash(touch made)');
    expect(existsSync(join(place.cwd, 'made'))).toBe(false);
    pane.press('y', 'Enter');
    await pane.shows('$ touch other');
    expect(existsSync(join(place.cwd, 'made'))).toBe(true);
    pane.type('n not that one');
    pane.press('Enter');
    const end = await pane.shows('exit code 0');
    expect(end).toContain('Done.');
    expect(existsSync(join(place.cwd, 'other'))).toBe(false);
    expect(await auditOf(place)).toMatchObject([
      { type: 'question', tool: 'Bash', input: { command: 'touch made' } },
      { type: 'answer', behaviour: 'allow', by: 'person' },
      { type: 'question', input: { command: 'touch other' } },
      { type: 'answer', behaviour: 'deny', by: 'person', reason: 'The user said no: not that one' },
    ]);
  }),
);

tmuxTest('what was typed before the question was shown is no answer, not even half a line', () => {
  const [asked, typed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: Turn = async () => {
    asked.resolve();
    await typed.promise;
    return make('made');
  };
  return withPane([slow, say('Done.')], async (pane, place) => {
    await asked.promise;
    pane.press('y', 'Enter', 'y');
    // The terminal shows what it was given.
    await pane.shows('y\ny');
    typed.resolve();
    await pane.shows('y once');
    // Enter alone would complete the half line, if it were still there.
    pane.press('Enter');
    // It is no answer: the choices are shown again, and what comes before them is not read.
    await pane.shows(/y once[\s\S]*y once/);
    // What is read after it shows that it was read.
    pane.press('?', 'Enter');
    await pane.shows('for every agent of the session');
    expect(existsSync(join(place.cwd, 'made'))).toBe(false);
    pane.press('y', 'Enter');
    await pane.shows('exit code 0');
    expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  });
});

tmuxTest('s allows for the session: the same call is not asked about again', () =>
  withPane([make('made'), make('made'), say('Done.')], async (pane) => {
    await pane.shows('y once');
    pane.press('?', 'Enter');
    await pane.shows('for every agent of the session');
    pane.press('s', 'Enter');
    const end = await pane.shows('exit code 0');
    expect(end.match(/asks: Bash/g)).toHaveLength(1);
  }),
);

tmuxTest('r writes the rule to the local settings of the repository and says where', () =>
  withPane([make('made'), say('Done.')], async (pane, place) => {
    await pane.shows('y once');
    pane.press('r', 'Enter');
    await pane.shows('exit code 0');
    const file = join(place.cwd, '.cadre', 'settings.local.json');
    expect(pane.screen().replaceAll('\n', '')).toContain('settings.local.json: add allow Bash(touch made)');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permissions: { allow: ['Bash(touch made)'] } });
  }),
);

tmuxTest('Ctrl-C at a question denies it, ends the turn and exits 130', () =>
  withPane([make('made')], async (pane, place) => {
    await pane.shows('y once');
    pane.press('C-c');
    await pane.shows('exit code 130');
    expect(existsSync(join(place.cwd, 'made'))).toBe(false);
    expect((await auditOf(place)).at(-1)).toMatchObject({
      type: 'answer',
      behaviour: 'deny',
      by: 'interrupt',
    });
  }),
);

tmuxTest('a command with control characters is shown whole and harmless, wrapped and not cut', () => {
  const long = 'x'.repeat(300);
  const command = `echo ${long} end\u001b[2K\u001b[1A; touch made`;
  return withPane(
    [call('Bash', { command }), expecting({ isError: true }, say('Done.'))],
    async (pane) => {
      const screen = await pane.shows('y once');
      const joined = screen.replace(/\n\s*(?:↳ )?/g, '');
      expect(joined).toContain(`${long} end␛[2K␛[1A; touch made`);
      expect(screen).toContain('risk: high');
      expect(screen).not.toContain('rule:');
      pane.press('n', 'Enter');
      await pane.shows('why (optional)');
      pane.press('Enter');
      await pane.shows('exit code 0');
    },
    { columns: 60 },
  );
});

tmuxTest('an edit is shown as a diff', () =>
  withPane(
    [
      call('Read', { file_path: 'a.txt' }),
      call('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'zwei' }),
      say('Done.'),
    ],
    async (pane, place) => {
      const screen = await pane.shows('y once');
      expect(screen).toMatch(/- *two\n.*\+ *zwei/);
      pane.press('y', 'Enter');
      await pane.shows('exit code 0');
      expect(readFileSync(join(place.cwd, 'a.txt'), 'utf8')).toBe('one\nzwei\nthree\n');
    },
    { prepare: (place) => writeFileSync(join(place.cwd, 'a.txt'), 'one\ntwo\nthree\n') },
  ),
);

tmuxTest('a choice for the user is put as numbered options', () =>
  withPane(
    [
      call('AskUserQuestion', {
        questions: [
          { question: 'Which one?', header: 'Pick', options: [{ label: 'Red' }, { label: 'Blue' }] },
        ],
      }),
      expecting({ toolResult: '→ Blue' }, say('Done.')),
    ],
    async (pane) => {
      await pane.shows('Which one?');
      pane.press('2', 'Enter');
      await pane.shows('exit code 0');
    },
  ),
);

tmuxTest('--permission-prompts none asks nobody, also at a terminal', () =>
  withPane(
    [make('made'), expecting({ toolResult: 'There is no user to approve' }, say('Done.'))],
    async (pane) => {
      const end = await pane.shows('exit code 0');
      expect(end).not.toContain('asks: Bash');
    },
    { flags: ['--permission-prompts', 'none'] },
  ),
);

tmuxTest('PE3 a foreground agent asks in the same terminal, with a badge that says who it is', () =>
  withPane(
    [
      call('Agent', {
        ...{ description: 'Touch it', prompt: 'Touch it.', subagent_type: 'general-purpose' },
        run_in_background: false,
      }),
      make('made'),
      say('Touched.'),
      say('Done.'),
    ],
    async (pane, place) => {
      await pane.shows('lead asks: Agent');
      pane.press('n', 'Enter');
      await pane.shows('why (optional)');
      pane.press('Enter');
      await pane.shows('general-purpose (Touch it) asks: Bash');
      pane.press('y', 'Enter');
      await pane.shows('exit code 0');
      expect(existsSync(join(place.cwd, 'made'))).toBe(true);
    },
  ),
);
