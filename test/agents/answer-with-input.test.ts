import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import { type Answering, type Channel, channels, sentBack } from './answer-channels.ts';
import { openStory, type Story } from './support.ts';

const hire = (name: string) =>
  call('Agent', { description: `Do ${name}`, prompt: `Work ${name}`, isolation: 'worktree', name });

/** A worker writes `new.txt` in its worktree, and the lead then calls Land. */
async function landing(
  channel: Channel,
  input: Record<string, unknown>,
  answer: (ground: { cwd: string; worktree: string }) => Answering['answer'],
): Promise<{ story: Story; cwd: string; worktree: string; previews: string[] }> {
  const at = repository();
  let worktree = '';
  const answering: Answering = {
    tool: 'Land',
    answer: (given, asked) => answer({ cwd: at.cwd, worktree })(given, asked),
  };
  const story: Story = await openStory(
    {
      lead: [
        hire('one'),
        () => {
          worktree = (story.toolData()[0] as { worktreePath: string }).worktreePath;
          return call('Land', input);
        },
        say('Ok.'),
      ],
      agents: {
        'Work one': [call('Write', { file_path: 'new.txt', content: 'shown\n' }), say('Written.')],
      },
    },
    channel.options(answering),
    at,
  );
  await channel.attach?.(story, answering);
  await story.prompt('Go');
  await story.session.close();
  const previews = story.events.flatMap((event) =>
    event.type === 'question_asked' ? [event.question.preview ?? ''] : [],
  );
  return { story, cwd: at.cwd, worktree, previews };
}

/** The lead calls Write for a file of `sub/`, which may become a link out of the workspace while the question is open. */
async function writing(
  channel: Channel,
  answer: (ground: { cwd: string; swap: () => void }) => Answering['answer'],
): Promise<{ story: Story; cwd: string; outside: string }> {
  const at = repository();
  const outside = join(at.cwd, '../outside');
  mkdirSync(outside);
  mkdirSync(join(at.cwd, 'sub'));
  const swap = () => {
    rmSync(join(at.cwd, 'sub'), { recursive: true });
    symlinkSync(outside, join(at.cwd, 'sub'));
  };
  const answering: Answering = { tool: 'Write', answer: answer({ cwd: at.cwd, swap }) };
  const lead = [call('Write', { file_path: 'sub/out.txt', content: 'shown\n' }), say('Ok.')];
  const story = await openStory({ lead, agents: {} }, channel.options(answering), at);
  await channel.attach?.(story, answering);
  await story.prompt('Go');
  await story.session.close();
  return { story, cwd: at.cwd, outside };
}

function addWork(worktree: string): void {
  writeFileSync(join(worktree, 'later.txt'), 'later\n');
  writeFileSync(join(worktree, 'new.txt'), 'changed since\n');
}

function moveBranch(cwd: string): void {
  git(cwd, 'commit', '--quiet', '--allow-empty', '--message=Mine');
}

for (const channel of channels)
  describe(`a yes with the same input, by ${channel.name}, is for what was shown:`, () => {
    test('a link swapped in meanwhile is not followed', async () => {
      const { story, outside } = await writing(channel, ({ swap }) => (input) => {
        swap();
        return sentBack(input);
      });
      expect(existsSync(join(outside, 'out.txt'))).toBe(false);
      expect(story.results().at(-1)).toContain('a link in the path was changed');
    });

    test('work that was added meanwhile does not land', async () => {
      const { story, cwd, worktree } = await landing(channel, { action: 'land' }, (ground) => (input) => {
        addWork(ground.worktree);
        return sentBack(input);
      });
      expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('shown\n');
      expect(existsSync(join(cwd, 'later.txt'))).toBe(false);
      expect(existsSync(join(worktree, 'later.txt'))).toBe(true);
      expect(story.results().at(-1)).toContain('something was added to it in the meantime');
    });

    test('a branch that moved meanwhile is not landed on', async () => {
      const { story, cwd } = await landing(channel, { action: 'land' }, (ground) => (input) => {
        moveBranch(ground.cwd);
        return sentBack(input);
      });
      expect(git(cwd, 'log', '--format=%s')).toBe('Mine\nStart\n');
      expect(story.results().at(-1)).toContain('main was moved in the meantime');
    });

    test('work that was added meanwhile is not dropped', async () => {
      const drop = { action: 'drop', names: ['one'] };
      const { worktree } = await landing(channel, drop, (ground) => (input) => {
        addWork(ground.worktree);
        return sentBack(input);
      });
      expect(readFileSync(join(worktree, 'later.txt'), 'utf8')).toBe('later\n');
    });
  });

for (const channel of channels)
  describe(`a yes with another input, by ${channel.name}, is a new call:`, () => {
    test('what only the input says runs as it was changed', async () => {
      const { cwd } = await writing(channel, () => (input) => ({ ...input, content: 'changed\n' }));
      expect(readFileSync(join(cwd, 'sub/out.txt'), 'utf8')).toBe('changed\n');
    });

    test('a path of the question that leads elsewhere by now is refused', async () => {
      const { story, outside } = await writing(channel, ({ swap }) => (input) => {
        swap();
        return { ...input, content: 'changed\n' };
      });
      expect(existsSync(join(outside, 'out.txt'))).toBe(false);
      expect(story.results().at(-1)).toContain('a link in the path was changed');
    });

    test('another path is asked about, and a link that is swapped meanwhile is not followed', async () => {
      const { story, cwd, outside } = await writing(channel, ({ swap }) => (input, asked) => {
        if (asked === 1) swap();
        return { ...input, file_path: 'sub/other.txt' };
      });
      expect(existsSync(join(outside, 'other.txt'))).toBe(false);
      expect(existsSync(join(cwd, 'sub/out.txt'))).toBe(false);
      expect(story.results().at(-1)).toContain('a link in the path was changed');
    });

    test('another path that was asked about is written', async () => {
      const { cwd } = await writing(channel, () => (input) => ({ ...input, file_path: 'sub/other.txt' }));
      expect(readFileSync(join(cwd, 'sub/other.txt'), 'utf8')).toBe('shown\n');
      expect(existsSync(join(cwd, 'sub/out.txt'))).toBe(false);
    });

    test('a landing is planned and asked about again, with what came meanwhile', async () => {
      const asked: number[] = [];
      const { cwd } = await landing(channel, { action: 'land' }, (ground) => (input, count) => {
        asked.push(count);
        if (count === 0) addWork(ground.worktree);
        if (count === 1) writeFileSync(join(ground.worktree, 'new.txt'), 'after the second question\n');
        return { ...input, names: ['one'] };
      });
      expect(asked).toEqual([0, 1]);
      expect(readFileSync(join(cwd, 'new.txt'), 'utf8')).toBe('changed since\n');
      expect(readFileSync(join(cwd, 'later.txt'), 'utf8')).toBe('later\n');
    });

    test('a landing that was asked about again does not land on a branch that moved since', async () => {
      const { story, cwd } = await landing(channel, { action: 'land' }, (ground) => (input, count) => {
        if (count === 1) moveBranch(ground.cwd);
        return { ...input, names: ['one'] };
      });
      expect(git(cwd, 'log', '--format=%s')).toBe('Mine\nStart\n');
      expect(story.results().at(-1)).toContain('main was moved in the meantime');
    });

    test('a yes that changes it each time is no yes', async () => {
      const { story, cwd } = await writing(channel, () => (input, asked) => ({
        ...input,
        file_path: `sub/${asked}.txt`,
      }));
      expect(git(cwd, 'status', '--short', '--untracked-files=all')).toBe('');
      expect(story.results().at(-1)).toContain('changed the input again');
    });
  });

test.each([
  ['a protected path', { command: 'echo x > .git/hooks/pre-commit' }],
  ['a way out of the sandbox', { command: 'touch made', dangerouslyDisableSandbox: true }],
])(
  'a yes with a command that is asked about for another reason (%s) is asked about again',
  async (_, input) => {
    const at = repository();
    const asked: unknown[] = [];
    const story = await openStory(
      { lead: [call('Bash', { command: 'touch made' }), say('Ok.')], agents: {} },
      {
        onQuestion: async (question) => {
          asked.push(question.input);
          return asked.length === 1
            ? { behaviour: 'allow', input }
            : { behaviour: 'deny', message: 'not that' };
        },
      },
      at,
    );
    await story.prompt('Go');
    await story.session.close();
    expect(asked).toEqual([{ command: 'touch made' }, input]);
    expect(story.results().at(-1)).toContain('not that');
    expect(existsSync(join(at.cwd, 'made'))).toBe(false);
  },
);
