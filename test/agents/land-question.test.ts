import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Question } from '../../src/protocol/index.ts';
import { call, calls, say } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import type { Place } from '../session/support.ts';
import { openStory, type Story } from './support.ts';

const yes: Answer = { behaviour: 'allow' };

const hire = (name: string) =>
  call('Agent', { description: `Do ${name}`, prompt: `Work ${name}`, isolation: 'worktree', name });

const write = (file_path: string, content: string) => [
  call('Write', { file_path, content }),
  say('Written.'),
];

interface Asked {
  questions: Question[];
  onQuestion(question: Question): Promise<Answer>;
}

/** Says yes to what the tool asks, after whatever happens meanwhile. */
function answering(meanwhile: () => void = () => {}): Asked {
  const questions: Question[] = [];
  return {
    questions,
    async onQuestion(question) {
      if (question.toolName === 'Land') {
        questions.push(question);
        meanwhile();
      }
      return yes;
    },
  };
}

function pathOf(story: Story, index: number): string {
  return (story.toolData()[index] as { worktreePath: string }).worktreePath;
}

function subjects(at: Place): string {
  return git(at.cwd, 'log', '--format=%s');
}

test('Land sees the worktrees of its own session only: those of others are neither listed, landed nor dropped', async () => {
  const at = repository();
  const first = await openStory(
    { lead: [hire('A'), say('Ok.')], agents: { 'Work A': write('new.txt', 'first\n') } },
    {},
    at,
  );
  await first.prompt('Go');
  const path = pathOf(first, 0);
  await first.session.close();
  const { onQuestion } = answering();
  const second = await openStory(
    {
      lead: [
        call('Land', { action: 'list' }),
        call('Land', { action: 'land' }),
        call('Land', { action: 'drop', names: ['A'] }),
        call('Land', { action: 'land', names: ['A'] }),
        say('Ok.'),
      ],
      agents: {},
    },
    { onQuestion },
    at,
  );
  await second.prompt('Go');
  const [listed, landed, dropped, named] = second.results();
  expect(listed).toBe('There are no worktrees.');
  expect(landed).toContain('There are no worktrees to land.');
  expect(dropped).toContain('There is no worktree "A" of this session.');
  expect(named).toContain('There is no worktree "A" of this session.');
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('first\n');
  expect(subjects(at)).toBe('Start\n');
  await second.session.close();
});

test('the question about landing shows worktrees, files, diffstat, overlaps and conflicts, and what does not land', async () => {
  const at = repository();
  const { questions, onQuestion } = answering();
  const story = await openStory(
    {
      lead: [hire('one'), hire('two'), hire('three'), call('Land', { action: 'land' }), say('Ok.')],
      agents: {
        'Work one': write('new.txt', 'one\nline\n'),
        'Work two': write('new.txt', 'two\n'),
        'Work three': write('other.txt', 'three\n'),
      },
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  const [question] = questions;
  expect(question?.preview).toContain(
    `Onto main in ${at.cwd}, now at ${git(at.cwd, 'rev-parse', 'HEAD~2').slice(0, 12)}`,
  );
  expect(question?.preview).toMatch(
    /to land {3}one-\w+ \(agent one, \w+\): 1 commit, 1 file changed, 2 lines added, 0 removed\n {4}new\.txt \| \+2 -0/,
  );
  expect(question?.preview).toMatch(/to land {3}three-\w+ .*\n {4}other\.txt \| \+1 -0/);
  expect(question?.preview).toMatch(/conflict {2}two-\w+ \(agent two, \w+\) with main:\n {4}new\.txt\n/);
  expect(question?.risk.level).toBe('medium');
  await story.session.close();
});

test('a yes is for exactly what the question showed: work that came meanwhile is not landed with it', async () => {
  const at = repository();
  let first = '';
  const { questions, onQuestion } = answering(() => {
    writeFileSync(join(first, 'later.txt'), 'later\n');
    writeFileSync(join(first, 'new.txt'), 'changed since\n');
  });
  const story = await openStory(
    {
      lead: [
        hire('one'),
        () => {
          first = pathOf(story, 0);
          return call('Land', { action: 'land' });
        },
        say('Ok.'),
      ],
      agents: { 'Work one': write('new.txt', 'shown\n') },
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  expect(questions).toHaveLength(1);
  expect(readFileSync(join(at.cwd, 'new.txt'), 'utf8')).toBe('shown\n');
  expect(existsSync(join(at.cwd, 'later.txt'))).toBe(false);
  expect(readFileSync(join(first, 'later.txt'), 'utf8')).toBe('later\n');
  expect(story.results().at(-1)).toContain('its worktree stays: something was added to it in the meantime');
  await story.session.close();
});

test('a target that moved while the question was open is not landed on', async () => {
  const at = repository();
  const { onQuestion } = answering(() => {
    writeFileSync(join(at.cwd, 'mine.txt'), 'mine\n');
    git(at.cwd, 'add', '--all');
    git(at.cwd, 'commit', '--quiet', '--message=Mine');
  });
  const story = await openStory(
    {
      lead: [hire('one'), call('Land', { action: 'land' }), say('Ok.')],
      agents: { 'Work one': write('new.txt', 'x\n') },
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  expect(story.results().at(-1)).toContain('main was moved in the meantime');
  expect(subjects(at)).toBe('Mine\nStart\n');
  await story.session.close();
});

test('with no branch checked out the model is told what it can do: tell the user', async () => {
  const at = repository();
  const { questions, onQuestion } = answering();
  const story = await openStory(
    {
      lead: [hire('one'), call('Land', { action: 'land' }), call('Land', { action: 'forecast' }), say('Ok.')],
      agents: { 'Work one': write('new.txt', 'x\n') },
    },
    { onQuestion },
    at,
  );
  git(at.cwd, 'checkout', '--quiet', '--detach');
  await story.prompt('Go');
  expect(questions).toEqual([]);
  for (const result of story.results().slice(-2)) {
    expect(result).toContain('HEAD is detached');
    expect(result).toContain('Tell the user, who can check out the branch to land on (git switch BRANCH)');
    expect(result).not.toContain('Name the one to land on');
  }
  await story.session.close();
});

test('what can land nowhere is said without a question', async () => {
  const at = repository();
  const { questions, onQuestion } = answering();
  const story = await openStory(
    {
      lead: [hire('one'), call('Land', { action: 'land' }), say('Ok.')],
      agents: { 'Work one': write('new.txt', 'theirs\n') },
    },
    { onQuestion },
    at,
  );
  writeFileSync(join(at.cwd, 'new.txt'), 'mine\n');
  await story.prompt('Go');
  expect(questions).toEqual([]);
  expect(story.results().at(-1)).toMatch(/blocked {3}one-\w+ .*untracked files.*new\.txt/);
  await story.session.close();
});

test('nor is anybody asked where all that could be done is to remove what has nothing to land', async () => {
  const at = repository();
  const { questions, onQuestion } = answering();
  const landAfterOwnWork = () => {
    writeFileSync(join(at.cwd, 'same.txt'), 'same\n');
    git(at.cwd, 'add', 'same.txt');
    git(at.cwd, 'commit', '--quiet', '--message=Same');
    writeFileSync(join(at.cwd, 'new.txt'), 'mine\n');
    return call('Land', { action: 'land' });
  };
  const story = await openStory(
    {
      lead: [hire('one'), hire('two'), landAfterOwnWork, say('Ok.')],
      agents: { 'Work one': write('new.txt', 'theirs\n'), 'Work two': write('same.txt', 'same\n') },
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  expect(questions).toEqual([]);
  expect(story.results().at(-1)).toContain('Nothing can land.');
  expect(story.results().at(-1)).toMatch(/empty {5}two-\w+: all of its work is on main already\n/);
  await story.session.close();
});

test('dropping says what is lost, is of high risk, and takes no more than it showed', async () => {
  const at = repository();
  let kept = '';
  const { questions, onQuestion } = answering(() => writeFileSync(join(kept, 'later.txt'), 'later\n'));
  const story = await openStory(
    {
      lead: [
        hire('one'),
        hire('two'),
        () => {
          kept = pathOf(story, 1);
          return call('Land', { action: 'drop', names: ['one', 'two'] });
        },
        say('Ok.'),
      ],
      agents: { 'Work one': write('new.txt', 'x\n'), 'Work two': write('new.txt', 'y\n') },
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  const [question] = questions;
  expect(question?.preview).toMatch(/one-\w+ \(agent one, \w+\): 1 file changed, 1 line added, 0 removed/);
  expect(question?.risk.level).toBe('high');
  expect(question?.risk.reasons.join()).toMatch(/lost: one-\w+, two-\w+/);
  expect(existsSync(pathOf(story, 0))).toBe(false);
  expect(readFileSync(join(kept, 'new.txt'), 'utf8')).toBe('y\n');
  expect(story.results().at(-1)).toContain('something was added to it since');
  await story.session.close();
});

test('a gate outside a sandbox runs no work of an agent before somebody has agreed, and then leaves out what fails', async () => {
  const at = repository();
  const ran = join(at.cwd, '..', 'ran');
  mkdirSync(join(at.home), { recursive: true });
  const gate = `echo x >> ${ran}; ! grep -q bad *.txt`;
  writeFileSync(join(at.home, 'settings.json'), JSON.stringify({ worktree: { gate } }));
  let before = true;
  const { questions, onQuestion } = answering(() => {
    before = existsSync(ran);
  });
  const story = await openStory(
    {
      lead: [hire('good'), hire('bad'), call('Land', { action: 'land' }), say('Ok.')],
      agents: { 'Work good': write('good.txt', 'good\n'), 'Work bad': write('bad.txt', 'bad\n') },
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  expect(before).toBe(false);
  expect(questions[0]?.preview).toContain('gate      runs on the result once you approve');
  expect(story.results().at(-1)).toMatch(/landed {4}good-\w+/);
  expect(story.results().at(-1)).toMatch(/gate {6}bad-\w+ .* does not pass/);
  expect(existsSync(join(at.cwd, 'good.txt'))).toBe(true);
  expect(existsSync(join(at.cwd, 'bad.txt'))).toBe(false);
  await story.session.close();
});

test('while the gate runs one sees that it does, and not afterwards', async () => {
  const at = repository();
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, 'settings.json'), JSON.stringify({ worktree: { gate: 'true gate' } }));
  const { onQuestion } = answering();
  const story = await openStory(
    {
      lead: [hire('good'), call('Land', { action: 'land' }, 'toolu_land'), say('Ok.')],
      agents: { 'Work good': write('good.txt', 'good\n') },
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  const said = story.events.flatMap((event) =>
    event.type === 'tool_progressed' && event.toolUseId === 'toolu_land' ? [event.progress.text] : [],
  );
  expect(said).toEqual(['gate: running true gate …', '']);
  await story.session.close();
});

test('workers of one message land in the order of their calls', async () => {
  const at = repository();
  const names = ['zebra', 'mole', 'ant', 'yak', 'bee'];
  const hired = names.map((name, index) =>
    call(
      'Agent',
      { description: `Do ${name}`, prompt: `Work ${name}`, isolation: 'worktree', name },
      `toolu_${index}`,
    ),
  );
  const { onQuestion } = answering();
  const story = await openStory(
    {
      lead: [calls(hired), call('Land', { action: 'land' }), say('Ok.')],
      agents: Object.fromEntries(names.map((name) => [`Work ${name}`, write(`${name}.txt`, `${name}\n`)])),
    },
    { onQuestion },
    at,
  );
  await story.prompt('Go');
  expect(subjects(at).trim().split('\n').reverse()).toEqual(['Start', ...names.map((name) => `Do ${name}`)]);
  await story.session.close();
}, 60_000);
