import { expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { call, calls, say } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { mustHave } from '../store/build.ts';
import { open, recordsOf } from './support.ts';
import { anything, repository, rewinder, runCommands } from './undo-ground.ts';

test('a command that is ended by its time limit', async () => {
  const ground = repository();
  const before = ground.tree();
  const { session, prompt } = await open(
    ground,
    [call('Bash', { command: 'rm -rf src; sleep 100', timeout: 400 }), say('Done.')],
    anything,
  );
  const { rewind } = rewinder(session, prompt);
  await prompt('go');
  expect((await rewind('go')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('a command in the background, from its start to its end', async () => {
  const ground = repository();
  const before = ground.tree();
  const command = 'rm -rf src; echo x > README.md; echo y > made.txt';
  const { session, prompt } = await open(
    ground,
    [call('Bash', { command, run_in_background: true }), say('Started.'), say('Heard.')],
    anything,
  );
  const { rewind } = rewinder(session, prompt);
  await prompt('go');
  await session.finished(AbortSignal.timeout(20_000));
  expect(existsSync(ground.file('src'))).toBe(false);
  expect((await rewind('go')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('a command that still runs in the background: what it did so far', async () => {
  const ground = repository();
  const before = ground.tree();
  const { session, prompt } = await open(
    ground,
    [call('Bash', { command: 'rm -rf src; touch up; sleep 300', run_in_background: true }), say('Started.')],
    anything,
  );
  const { rewind } = rewinder(session, prompt);
  await prompt('go');
  while (!existsSync(ground.file('up'))) await Bun.sleep(5);
  expect((await rewind('go')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('a monitor that changes files', async () => {
  const ground = repository();
  const before = ground.tree();
  const { session, prompt } = await open(
    ground,
    [
      call('Monitor', { command: 'rm -rf src; echo gone', description: 'watch' }),
      say('Started.'),
      say('Heard.'),
      say('Heard.'),
    ],
    anything,
  );
  const { rewind } = rewinder(session, prompt);
  await prompt('go');
  await session.finished(AbortSignal.timeout(20_000));
  await rewind('go');
  expect(ground.tree()).toEqual(before);
  await session.close();
});

/** Shell text that goes on once another command is there too. */
function meet(own: string, other: string): string {
  return `touch ${own}; until [ -e ${other} ]; do sleep 0.01; done`;
}

test('commands of agents, one after the other and side by side', async () => {
  const ground = repository();
  const before = ground.tree();
  const agent = (prompt: string, more = {}) =>
    call('Agent', { description: 'd', prompt, subagent_type: 'general-purpose', ...more });
  const story = await openStory(
    {
      lead: [agent('first'), calls([agent('second'), agent('third')]), say('Done.')],
      agents: {
        first: [call('Bash', { command: 'rm -rf src/deep' }), say('Done.')],
        second: [
          call('Bash', { command: `sed -i s/f/F/ src/*.txt; ${meet('two', 'three')}; echo 2 >> two` }),
          say('Done.'),
        ],
        third: [
          call('Bash', { command: `rm README.md; ${meet('three', 'two')}; echo 3 >> three` }),
          say('Done.'),
        ],
      },
    },
    anything,
    ground,
  );
  await story.prompt('go');
  await story.session.finished(AbortSignal.timeout(20_000));
  const { rewind } = rewinder(story.session, story.prompt);
  expect((await rewind('go')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await story.session.close();
});

test('edits and commands on the same file, in turns', async () => {
  const ground = repository();
  const before = ground.tree();
  const { session, prompt } = await open(
    ground,
    [
      call('Bash', { command: 'echo by command > src/a.txt; echo made > made.txt' }),
      call('Read', { file_path: 'src/a.txt' }),
      call('Write', { file_path: 'src/a.txt', content: 'by tool\n' }),
      say('Done.'),
      call('Bash', { command: 'echo again > src/a.txt; rm made.txt' }),
      say('Done.'),
    ],
    anything,
  );
  const { rewind } = rewinder(session, prompt);
  await prompt('one');
  await prompt('two');
  await rewind('two');
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('by tool\n');
  expect(readFileSync(ground.file('made.txt'), 'utf8')).toBe('made\n');
  expect((await rewind('one')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('an edited file that a command changes while the next prompt and another command start', async () => {
  const ground = repository();
  const before = ground.tree();
  const wait = (name: string) => `until [ -e ${name} ]; do sleep 0.01; done`;
  const command = `${wait('go')}; echo half > src/a.txt; ${meet('one', 'two')}; echo whole > src/a.txt`;
  const { session, prompt } = await open(
    ground,
    [
      call('Bash', { command, run_in_background: true }),
      call('Read', { file_path: 'src/a.txt' }),
      call('Write', { file_path: 'src/a.txt', content: 'by tool\n' }),
      ...[say('Started.'), call('Bash', { command: 'touch two' }), say('Done.'), say('Heard.')],
    ],
    anything,
  );
  const { rewind } = rewinder(session, prompt);
  await prompt('first');
  ground.write('go', '');
  while (!existsSync(ground.file('one'))) await Bun.sleep(5);
  rmSync(ground.file('go'));
  await prompt('second');
  await session.finished(AbortSignal.timeout(20_000));
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('whole\n');
  expect((await rewind('first')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('an edited file that a command in the background changes', async () => {
  const ground = repository();
  const before = ground.tree();
  const command = 'until [ -e go ]; do sleep 0.01; done; echo by command > src/a.txt';
  const { session, prompt } = await open(
    ground,
    [
      call('Bash', { command, run_in_background: true }),
      call('Read', { file_path: 'src/a.txt' }),
      call('Write', { file_path: 'src/a.txt', content: 'by tool\n' }),
      call('Bash', { command: 'touch go' }),
      ...[say('Started.'), say('Heard.')],
    ],
    anything,
  );
  const { rewind } = rewinder(session, prompt);
  await prompt('go');
  await session.finished(AbortSignal.timeout(20_000));
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('by command\n');
  expect((await rewind('go')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('a session that goes on later: the user changed a file in between, which is not overwritten', async () => {
  const ground = repository();
  const first = await runCommands(ground, ['echo one > one.txt; echo two > two.txt; rm README.md']);
  await first.session.close();
  writeFileSync(ground.file('one.txt'), 'mine\n');
  const again = await open(ground, [call('Bash', { command: 'echo more >> one.txt' }), say('Done.')], {
    ...anything,
    resume: { from: 'latest' },
  });
  const { rewind } = rewinder(again.session, again.prompt);
  await again.prompt('later');
  const { refused, removed, restored } = await rewind('echo one > one.txt; echo two > two.txt; rm README.md');
  expect(refused).toMatchObject([{ path: ground.file('one.txt'), needsForce: true }]);
  expect([removed, restored]).toEqual([[ground.file('two.txt')], [ground.file('README.md')]]);
  expect(readFileSync(ground.file('one.txt'), 'utf8')).toBe('mine\nmore\n');
  await rewind('later');
  expect(readFileSync(ground.file('one.txt'), 'utf8')).toBe('mine\n');
  await again.session.close();
});

test('a command that is known to change nothing is not looked after', async () => {
  const ground = repository();
  const { session } = await runCommands(ground, ['cat src/a.txt']);
  expect((await recordsOf(session)).filter(({ type }) => type === 'command-files')).toEqual([]);
  const [point] = mustHave(await session.checkpoints());
  expect(point).toMatchObject({ filesChanged: 0, commands: 0, isAtLeast: false });
  await session.close();
});

test('nothing is left behind but the kept bytes once the session is closed', async () => {
  const ground = repository();
  const { session } = await runCommands(ground, ['rm -rf src']);
  const snapshot = (session.info().transcriptPath ?? '').replace(/\.jsonl$/, '/snapshot.jsonl');
  expect(existsSync(snapshot)).toBe(true);
  await session.close();
  expect(existsSync(snapshot)).toBe(false);
});

test('what a command did before a prompt that came while it ran is of the prompt before', async () => {
  const ground = repository();
  const { session, runs } = await open(
    ground,
    [
      call('Bash', { command: 'rm -rf src; touch up; until [ -e ../go ]; do sleep 0.01; done' }),
      say('Both.'),
    ],
    anything,
  );
  session.send({ type: 'prompt', content: 'go' });
  while (!existsSync(ground.file('up'))) await Bun.sleep(5);
  session.send({ type: 'prompt', content: 'and this' });
  writeFileSync(ground.file('../go'), '');
  await runs(1);
  expect(mustHave(await session.checkpoints())).toMatchObject([
    { text: 'go', filesChanged: 9 },
    { text: 'and this', filesChanged: 0, commands: 0 },
  ]);
  await session.close();
});
