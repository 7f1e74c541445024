import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LandReport } from '../../src/landing/types.ts';
import { type ModelRequest, textOf } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, calls, expecting, lastUserText, say, type Turn } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import { type Place, place } from '../session/support.ts';
import { needs } from '../support/index.ts';
import { openStory, quiet, type Story } from './support.ts';

const confinedTest = needs('bwrap');

const apart = { description: 'Mend it', prompt: 'Work', isolation: 'worktree' };

async function run(
  at: Place,
  agent: Turn[],
  options: SessionOptions = {},
  input: object = apart,
): Promise<Story> {
  const story = await openStory(
    { lead: [call('Agent', { ...input }), say('Ok.'), say('More.'), say('Heard.')], agents: { Work: agent } },
    options,
    at,
  );
  await story.prompt('Go');
  return story;
}

/** What the agent's last tool call gave, as its model read it. */
function seen(story: Story): string {
  return resultIn(story.requestsOf('Work').at(-1));
}

function resultIn(request: ModelRequest | undefined): string {
  const content = request?.messages.at(-1)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : [])).join('\n');
}

/** The texts of the last message that a model was sent. */
function told(request: ModelRequest | undefined): string {
  return request ? lastUserText(request) : '';
}

function pathIn(story: Story): string {
  return (story.toolData()[0] as { worktreePath: string }).worktreePath;
}

test('WT1 an isolated agent edits in its own worktree, unasked; the result says where its work is', async () => {
  const at = repository();
  const story = await run(at, [call('Write', { file_path: 'new.txt', content: 'work\n' }), say('Done.')]);
  const data = story.toolData()[0] as Record<string, string>;
  expect(data).toMatchObject({ status: 'completed' });
  expect(data.worktreePath).toStartWith(join(at.cwd, '.cadre/worktrees/mend-it-'));
  expect(data.worktreeBranch).toMatch(/^cadre\/mend-it-[a-z0-9]+\/work$/);
  expect(data.worktreeDiffstat).toBe('1 file changed, 1 line added, 0 removed');
  expect(story.results()[0]).toContain('Its work is in the worktree mend-it-');
  expect(readFileSync(join(pathIn(story), 'new.txt'), 'utf8')).toBe('work\n');
  expect(existsSync(join(at.cwd, 'new.txt'))).toBe(false);
  expect(git(at.cwd, 'status', '--porcelain')).toBe('');
  await story.session.close();
});

test('WT1 where settings say that agents ask, an isolated one asks before it edits', async () => {
  const at = repository();
  writeFileSync(join(at.home, 'settings.json'), '{"agents":{"permissionMode":"default"}}');
  const asked: string[] = [];
  const story = await run(at, [call('Write', { file_path: 'new.txt', content: 'work\n' }), say('Done.')], {
    onQuestion: async ({ toolName }) => {
      asked.push(toolName);
      return { behaviour: 'deny', message: 'No.' };
    },
  });
  expect(asked).toEqual(['Write']);
  expect(story.toolData()[0]).not.toHaveProperty('worktreePath');
  await story.session.close();
});

test('WT3 one that changed nothing leaves nothing', async () => {
  const at = repository();
  const story = await run(at, [call('Read', { file_path: 'a.txt' }), say('Done.')]);
  expect(story.results()[0]).toContain('It changed nothing, so its worktree was removed.');
  expect(story.toolData()[0]).not.toHaveProperty('worktreePath');
  expect(git(at.cwd, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(git(at.cwd, 'branch', '--list', 'cadre/*')).toBe('');
  await story.session.close();
});

test.each(['default', 'acceptEdits', 'bypassPermissions'] as const)(
  'WT1 it does not write into the main checkout, in mode %s',
  async (permissionMode) => {
    const at = repository();
    const target = join(at.cwd, 'a.txt');
    const story = await run(
      at,
      [
        call('Write', { file_path: join(at.cwd, 'x.txt'), content: 'x' }),
        call('Bash', { command: `echo x > ${join(at.cwd, 'y.txt')}` }),
        call('Bash', { command: `cd ${at.cwd} && echo x >> a.txt` }),
        call('Read', { file_path: target }),
        call('Edit', { file_path: target, old_string: 'one', new_string: 'two' }),
        say('Done.'),
      ],
      { permissionMode, allowBypass: true, allowedTools: ['Write', 'Edit', 'Bash'] },
    );
    expect(seen(story)).toContain('writes only there');
    expect(git(at.cwd, 'status', '--porcelain')).toBe('');
    expect(readFileSync(target, 'utf8')).toBe('one\n');
    await story.session.close();
  },
);

test('WT1 a name that is not valid UTF-8 is refused as such, not as a place elsewhere', async () => {
  const at = repository();
  const command = String.raw`echo x > $'caf\xe9.txt'`;
  const story = await run(at, [call('Bash', { command }), say('Done.')]);
  expect(seen(story)).toContain('has a name that is not valid UTF-8');
  await story.session.close();
});

test('without a sandbox a command that changes something neither runs in the main checkout nor names it', async () => {
  const at = repository();
  const attempts = [
    `git -C ${at.cwd} branch evil`,
    `git --git-dir=${at.cwd}/.git branch evil`,
    `GIT_DIR=${at.cwd}/.git git branch evil`,
    'cd ../../.. && git branch evil',
    `sh -c 'touch ${at.cwd}/evil'`,
  ];
  const story = await run(at, [...attempts.map((command) => call('Bash', { command })), say('Done.')], {
    permissionMode: 'bypassPermissions',
    allowBypass: true,
  });
  for (const request of story.requestsOf('Work').slice(1))
    expect(resultIn(request)).toContain('writes only there');
  expect(git(at.cwd, 'branch', '--list', 'evil')).toBe('');
  await story.session.close();
});

test('worktree.uncommitted and worktree.baseRef say where work begins', async () => {
  const at = repository();
  writeFileSync(join(at.cwd, 'a.txt'), 'not committed\n');
  const turns = () => [call('Bash', { command: 'cat a.txt' }), say('Done.')];
  const settings = { uncommitted: true };
  const carried = await run(at, turns(), { settings: JSON.stringify({ worktree: settings }) });
  expect(seen(carried)).toContain('not committed');
  await carried.session.close();
  git(at.cwd, 'commit', '--quiet', '--all', '--message=Second');
  const older = await run(at, turns(), { settings: '{"worktree":{"baseRef":"HEAD~1"}}' });
  expect(seen(older)).toContain('one');
  await older.session.close();
});

test('rules that are anchored in the checkout hold in the worktree, too', async () => {
  const at = repository();
  const story = await run(at, [call('Write', { file_path: 'secret/x.txt', content: 'x' }), say('Done.')], {
    disallowedTools: ['Edit(/secret/**)'],
  });
  expect(seen(story)).toContain('Edit(/secret/**)');
  await story.session.close();
});

test('a definition can ask for it, and a fork that has it is told where it is', async () => {
  const at = repository();
  const agents = { apart: { description: 'x', prompt: 'You work apart.', isolation: 'worktree' } };
  const story = await run(
    at,
    [call('Write', { file_path: 'n.txt', content: 'x' }), say('Done.')],
    { agents },
    {
      ...{ description: 'Do', prompt: 'Work', subagent_type: 'apart' },
    },
  );
  expect(pathIn(story)).toContain('/.cadre/worktrees/do-');
  await story.session.close();
  const fork = await run(repository(), [say('Done.')], { agentLimits: { fork: true, background: false } });
  expect(told(fork.requestsOf('Work')[0])).toContain('You work in your own git worktree');
  await fork.session.close();
});

test('outside git the call fails with the reason, and no agent is started', async () => {
  const story = await run(place(), []);
  expect(story.results()[0]).toContain('isolation: worktree is not possible here.');
  expect(story.results()[0]).toContain('is not in a git repository');
  await story.session.close();
});

test('in the background the notification says where the work is', async () => {
  const at = repository();
  const story = await run(
    at,
    [call('Write', { file_path: 'n.txt', content: 'x' }), say('Done.')],
    {},
    {
      ...apart,
      run_in_background: true,
    },
  );
  await quiet(story);
  const text = story
    .leadRequests()
    .map((request) => lastUserText(request))
    .join('\n');
  expect(text).toMatch(
    /<worktree><name>mend-it-\w+<\/name><path>.*<branch>cadre\/mend-it-\w+\/work<\/branch>/,
  );
  await story.session.close();
});

test('SendMessage goes on in the same worktree; one that was removed is made again', async () => {
  const at = repository();
  for (const first of [
    call('Read', { file_path: 'a.txt' }),
    call('Write', { file_path: 'n.txt', content: 'x\n' }),
  ]) {
    const story = await openStory(
      {
        lead: [
          call('Agent', { ...apart, name: 'mender' }),
          call('SendMessage', { to: 'mender', message: 'Go on' }),
          say('Ok.'),
          say('Heard.'),
        ],
        agents: {
          Work: [first, say('Once.'), call('Write', { file_path: 'm.txt', content: 'y\n' }), say('Twice.')],
        },
      },
      {},
      at,
    );
    await story.prompt('Go');
    await quiet(story);
    const path = /<path>(.*?)<\/path>/.exec(told(story.leadRequests().at(-1)))?.[1] ?? '';
    expect(readFileSync(join(path, 'm.txt'), 'utf8')).toBe('y\n');
    expect(existsSync(join(path, 'n.txt'))).toBe(
      first !== undefined && git(path, 'status', '--porcelain').includes('n.txt'),
    );
    await story.session.close();
  }
});

test('twenty at once each have a worktree of their own', async () => {
  const at = repository();
  const twenty = Array.from({ length: 20 }, (_, index) =>
    call('Agent', { ...apart, prompt: `Work ${index}` }, `toolu_${index}`),
  );
  const agents = Object.fromEntries(
    twenty.map((_, index) => [
      `Work ${index}`,
      [call('Write', { file_path: 'n.txt', content: `${index}` }), say('Done.')],
    ]),
  );
  const story = await openStory(
    { lead: [calls(twenty), say('Ok.')], agents },
    { agentLimits: { askAboveAgents: 100 } },
    at,
  );
  await story.prompt('Go');
  const paths = story.toolData().map((data) => (data as { worktreePath: string }).worktreePath);
  expect(new Set(paths).size).toBe(20);
  expect(new Set(paths.map((path) => readFileSync(join(path, 'n.txt'), 'utf8'))).size).toBe(20);
  await story.session.close();
}, 60_000);

confinedTest(
  'WT5 under the sandbox it commits to its own branch, and reaches nothing else of the repository',
  async () => {
    const at = repository();
    git(at.cwd, 'branch', 'other');
    git(at.cwd, 'pack-refs', '--all');
    const shared = join(at.cwd, '.git');
    const attempts = [
      `touch ${at.cwd}/x`,
      `echo x >> ${shared}/config`,
      `touch ${shared}/hooks/post-commit`,
      `echo x >> ${shared}/packed-refs`,
      `git update-ref refs/heads/other HEAD~1`,
      `git branch evil`,
      `git config user.name Evil`,
      `touch ${shared}/refs/heads/evil`,
      `touch ${shared}/objects/info/alternates`,
      `git tag evil`,
    ].map((command) => `(${command}) 2>/dev/null && echo "DONE ${command.replaceAll('"', '')}"`);
    const story = await run(
      at,
      [
        call('Bash', {
          command: 'echo work > b.txt && git add b.txt && git commit -qm Work && git log --oneline',
        }),
        call('Bash', { command: 'echo more >> b.txt && git commit -qam More; git log --oneline | wc -l' }),
        call('Bash', { command: `${attempts.join('; ')}; true` }),
        say('Done.'),
      ],
      { sandbox: true },
    );
    const requests = story.requestsOf('Work').map(resultIn);
    expect(requests[1]).toContain('Work');
    expect(requests[2]).toContain('3');
    expect(requests[3]).not.toContain('DONE');
    const { worktreeBranch = '' } = story.toolData()[0] as Record<string, string>;
    expect(git(at.cwd, 'log', '--format=%s', worktreeBranch)).toBe('More\nWork\nStart\n');
    expect(git(at.cwd, 'status', '--porcelain')).toBe('');
    await story.session.close();
  },
);

confinedTest(
  'WT1 under the sandbox /tmp is its own, and may be named; a checkout that is in /tmp is not, nor is /tmp for its other tools',
  async () => {
    const at = repository();
    const name = `worktree-tmp-${process.pid}`;
    const story = await run(
      at,
      [
        call('Bash', { command: `ls > /tmp/${name}.log 2>&1; cat /tmp/${name}.log` }),
        call('Bash', { command: `echo teed | tee /tmp/${name}.txt` }),
        call('Bash', { command: `mkdir -p /tmp/${name}/build && echo BUILT` }),
        call('Bash', { command: `echo x > ${at.cwd}/y.txt` }),
        call('Write', { file_path: `/tmp/${name}.log`, content: 'x' }),
        say('Done.'),
      ],
      { sandbox: true, onQuestion: async () => ({ behaviour: 'allow' }) },
    );
    const results = story.requestsOf('Work').slice(1).map(resultIn);
    expect(results.slice(0, 3)).toEqual([
      expect.stringContaining('a.txt'),
      expect.stringContaining('teed'),
      expect.stringContaining('BUILT'),
    ]);
    for (const result of results.slice(3)) expect(result).toContain('writes only there');
    expect(existsSync(`/tmp/${name}.log`)).toBe(false);
    expect(existsSync(join(at.cwd, 'a.txt'))).toBe(true);
    await story.session.close();
  },
);

confinedTest(
  'WT2 under the sandbox dependencies can be read and not changed; their caches can be written',
  async () => {
    const at = repository();
    writeFileSync(join(at.cwd, '.git/info/exclude'), 'node_modules/\n');
    mkdirSync(join(at.cwd, 'node_modules/dep'), { recursive: true });
    mkdirSync(join(at.cwd, 'node_modules/.cache'));
    writeFileSync(join(at.cwd, 'node_modules/dep/index.js'), 'dep');
    const story = await run(
      at,
      [
        call('Bash', {
          command:
            'cat node_modules/dep/index.js; echo x > node_modules/.cache/y && echo CACHED; sh -c \'echo x > "$0"\' node_modules/dep/index.js || echo REFUSED',
        }),
        call('Read', { file_path: 'node_modules/dep/index.js' }),
        say('Done.'),
      ],
      { sandbox: true },
    );
    const requests = story.requestsOf('Work').map(resultIn);
    expect(requests[1]).toContain('dep');
    expect(requests[1]).toContain('CACHED');
    expect(requests[1]).toContain('REFUSED');
    expect(requests[2]).toContain('dep');
    expect(readFileSync(join(at.cwd, 'node_modules/dep/index.js'), 'utf8')).toBe('dep');
    await story.session.close();
  },
);

test('a conflict names the agent that it goes back to, which mends it; then it lands', async () => {
  const at = repository();
  const write = (content: string) => call('Write', { file_path: 'new.txt', content });
  const mend =
    'git add -A && git commit -qm Mine; git merge main; printf "first\\nsecond\\n" > new.txt; git add -A && git commit -qm Merged';
  const story = await openStory(
    {
      lead: [
        call('Agent', { ...apart, prompt: 'First', name: 'first' }),
        call('Agent', { ...apart, prompt: 'Second', name: 'second' }),
        call('Land', { action: 'land' }),
        expecting(
          { toolResult: 'second' },
          call('SendMessage', { to: 'second', message: 'Merge main into your branch' }),
        ),
        say('Waiting.'),
        call('Land', { action: 'land' }),
        say('Done.'),
      ],
      agents: {
        First: [write('first\n'), say('Written.')],
        Second: [write('second\n'), say('Written.'), call('Bash', { command: mend }), say('Mended.')],
      },
    },
    { permissionMode: 'bypassPermissions', allowBypass: true },
    at,
  );
  await story.prompt('Go');
  await quiet(story);
  const [, , first, , last] = story.toolData() as LandReport[];
  expect(first?.landings.map(({ status }) => status)).toEqual(['landed', 'conflict']);
  const clash = first?.landings[1];
  expect(clash?.owner.name).toBe('second');
  expect(clash?.status === 'conflict' ? clash.conflicts[0]?.hunks[0] : '').toContain('second');
  expect(last?.landings.map(({ status }) => status)).toEqual(['landed']);
  expect(readFileSync(join(at.cwd, 'new.txt'), 'utf8')).toBe('first\nsecond\n');
  expect(git(at.cwd, 'status', '--porcelain')).toBe('');
  expect(git(at.cwd, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  await story.session.close();
});

test('PL1 in plan mode an agent with a worktree of its own is neither started nor gone on with', async () => {
  const at = repository();
  const story = await openStory(
    {
      lead: [
        call('Agent', { ...apart }),
        say('Ok.'),
        (request) => call('SendMessage', { to: agentIn(request), message: 'Go on' }),
        call('Agent', { ...apart }),
        say('Refused.'),
      ],
      agents: { Work: [call('Write', { file_path: 'new.txt', content: 'x' }), say('Done.')] },
    },
    {},
    at,
  );
  const agentIn = (request: ModelRequest) =>
    /agentId: (a\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? story.session.tasks()[0]?.id ?? '';
  await story.prompt('Go');
  const before = git(at.cwd, 'worktree', 'list', '--porcelain');
  story.session.send({ type: 'set_permission_mode', mode: 'plan' });
  await story.prompt('And now');
  const [message, start] = story.results().slice(-2);
  expect(message).toContain('In plan mode nothing may be changed, and creating a worktree is a change.');
  expect(start).toContain('isolation: worktree is not possible here. In plan mode nothing may be changed');
  expect(git(at.cwd, 'worktree', 'list', '--porcelain')).toBe(before);
  await story.session.close();
});
