import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { type ModelRequest, textOf } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, calls, say, type Turn } from '../../src/testing/index.ts';
import { realServer, withRealServers } from '../mcp/support.ts';
import { type Place, place, recordsOf } from '../session/support.ts';
import { ended, nextEvent, openStory, type Script, type Story } from './support.ts';

const free: SessionOptions = { permissionMode: 'bypassPermissions' };

function ground(): Place & { file: string } {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const file = join(at.cwd, 'shared.txt');
  writeFileSync(file, 'one\ntwo\nthree\n');
  return { ...at, file };
}

/** A turn that waits until the test lets it go on. */
function gate(turn: Turn): { turn: Turn; reached: Promise<void>; open(): void } {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    turn: async (request) => {
      reached.resolve();
      await opened.promise;
      return typeof turn === 'function' ? turn(request) : turn;
    },
  };
}

function start(prompt: string, background = true) {
  return call('Agent', { description: `Do ${prompt}`, prompt, run_in_background: background });
}

function edit(file: string, from: string, to: string) {
  return call('Edit', { file_path: file, old_string: from, new_string: to });
}

function lastResult(requests: readonly ModelRequest[]): string {
  const content = requests.at(-1)?.messages.at(-1)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : [])).join('\n');
}

function open(script: Script, at: Place, options: SessionOptions = {}): Promise<Story> {
  return openStory(script, { ...free, ...options }, at);
}

test('CO7 of two agents in the background the second is refused, with the holder and what it changed', async () => {
  const at = ground();
  const first = gate(say('First done.'));
  const second = gate(edit(at.file, 'three', 'THREE'));
  const story = await open(
    {
      lead: [calls([start('First'), start('Second')]), say('Started.'), say('Heard.'), say('Heard.')],
      agents: {
        First: [call('Read', { file_path: at.file }), edit(at.file, 'two', 'TWO'), first.turn],
        Second: [call('Read', { file_path: at.file }), second.turn, say('Second done.')],
      },
    },
    at,
  );
  await story.prompt('Go');
  await Promise.all([first.reached, second.reached]);
  expect(story.session.leases()).toMatchObject([
    { path: at.file, holder: { type: 'general-purpose', description: 'Do First' }, writes: 1 },
  ]);
  second.open();
  await ended(story);
  const refusal = lastResult(story.requestsOf('Second'));
  expect(refusal).toMatch(/was not written: it is leased to the agent a\w+ \(general-purpose "Do First"\)/);
  expect(refusal).toContain('-two\n+TWO');
  expect(readFileSync(at.file, 'utf8')).toBe('one\nTWO\nthree\n');
  first.open();
  await ended(story);
  expect(story.session.leases()).toEqual([]);
  await story.session.close();
});

test("CO7 CO5 the scratchpad is everybody's: two live workers write the same file there", async () => {
  const at = ground();
  let pad = '';
  const first = gate(say('First done.'));
  const second = gate(() => call('Write', { file_path: join(pad, 'notes.md'), content: 'second' }));
  const story = await open(
    {
      lead: [calls([start('First'), start('Second')]), say('Started.'), say('Heard.'), say('Heard.')],
      agents: {
        First: [() => call('Write', { file_path: join(pad, 'notes.md'), content: 'first' }), first.turn],
        Second: [call('Read', { file_path: at.file }), second.turn, say('Second done.')],
      },
    },
    at,
    { coordinator: true },
  );
  pad = story.session.info().scratchpad ?? '';
  await story.prompt('Go');
  await Promise.all([first.reached, second.reached]);
  expect(story.session.leases()).toEqual([]);
  second.open();
  await ended(story);
  expect(lastResult(story.requestsOf('Second'))).not.toContain('leased');
  first.open();
  await story.session.close();
});

test('CO7 the lead is refused what its agent in the background writes, until that one has ended', async () => {
  const at = ground();
  const agent = gate(say('Done.'));
  const lead = gate(edit(at.file, 'three', 'THREE'));
  const story = await open(
    {
      lead: [start('First'), lead.turn, say('Refused.'), edit(at.file, 'TWO', 'two'), say('Mended.')],
      agents: { First: [call('Read', { file_path: at.file }), edit(at.file, 'two', 'TWO'), agent.turn] },
    },
    at,
  );
  const prompted = story.prompt('Go');
  await agent.reached;
  lead.open();
  await prompted;
  expect(story.results().at(-1)).toContain('"Do First"), which has written it once so far');
  agent.open();
  await story.runs(2);
  expect(story.results().at(-1)).not.toContain('leased');
  await story.session.close();
});

test('CO7 what the lead wrote before it delegates is no lease against that agent', async () => {
  const at = ground();
  const story = await open(
    {
      lead: [
        call('Read', { file_path: at.file }),
        edit(at.file, 'one', 'ONE'),
        start('First', false),
        call('Read', { file_path: at.file }),
        edit(at.file, 'three', 'THREE'),
        say('Ok.'),
      ],
      agents: {
        First: [call('Read', { file_path: at.file }), edit(at.file, 'two', 'TWO'), say('Done.')],
      },
    },
    at,
  );
  await story.prompt('Go');
  expect(readFileSync(at.file, 'utf8')).toBe('ONE\nTWO\nTHREE\n');
  await story.session.close();
});

test('CO7 what the lead writes while it works is refused to an agent that was started before, until the run ends', async () => {
  const at = ground();
  const agent = gate(edit(at.file, 'two', 'TWO'));
  const again = gate(call('Read', { file_path: at.file }));
  const lead = gate(say('Written.'));
  const story = await open(
    {
      lead: [
        start('First'),
        call('Read', { file_path: at.file }),
        edit(at.file, 'one', 'ONE'),
        lead.turn,
        say('.'),
      ],
      agents: {
        First: [
          call('Read', { file_path: at.file }),
          agent.turn,
          again.turn,
          edit(at.file, 'two', 'TWO'),
          say('Done.'),
        ],
      },
    },
    at,
  );
  const prompted = story.prompt('Go');
  await Promise.all([lead.reached, agent.reached]);
  agent.open();
  await again.reached;
  expect(lastResult(story.requestsOf('First'))).toContain('it is leased to the main agent');
  lead.open();
  await prompted;
  again.open();
  await story.runs(2);
  expect(readFileSync(at.file, 'utf8')).toBe('ONE\nTWO\nthree\n');
  await story.session.close();
});

test('CO7 G8 an agent that is stopped, fails or runs out of time leaves no lease', async () => {
  const at = ground();
  const clock = manualClock();
  const stopped = gate(say('Never said.'));
  const stuck = gate(say('Never said.'));
  const write = (name: string) => call('Write', { file_path: join(at.cwd, name), content: 'x' });
  const story = await open(
    {
      lead: [
        calls([start('Stopped'), start('Failing'), start('Stuck')]),
        say('Started.'),
        ...['a', 'b', 'c'].map(() => say('Heard.')),
      ],
      agents: {
        Stopped: [write('stopped'), stopped.turn],
        Failing: [write('failing'), { failure: { kind: 'invalid_request', message: 'no' } }],
        Stuck: [write('stuck'), stuck.turn],
      },
    },
    at,
    { clock, agentLimits: { timeoutSeconds: 60, idleSeconds: 0 } },
  );
  await story.prompt('Go');
  await Promise.all([stopped.reached, stuck.reached]);
  expect(story.session.leases().map(({ path }) => path)).toContain(join(at.cwd, 'stopped'));
  const id = story.session.tasks().find(({ description }) => description === 'Do Stopped')?.id ?? '';
  story.session.send({ type: 'stop_task', taskId: id });
  clock.advance(60_000);
  await story.session.finished(new AbortController().signal);
  expect(story.session.leases()).toEqual([]);
  stopped.open();
  stuck.open();
  await story.session.close();
});

test('CO7 leases go by where a path leads', async () => {
  const at = ground();
  const alias = join(at.cwd, 'alias.txt');
  symlinkSync('shared.txt', alias);
  const first = gate(say('Done.'));
  const story = await open(
    {
      lead: [
        start('First'),
        say('Started.'),
        call('Read', { file_path: alias }),
        edit(alias, 'one', 'ONE'),
        say('.'),
        say('.'),
      ],
      agents: { First: [call('Read', { file_path: at.file }), edit(at.file, 'two', 'TWO'), first.turn] },
    },
    at,
  );
  await story.prompt('Go');
  await first.reached;
  await story.prompt('And now');
  expect(story.results().at(-1)).toContain('alias.txt was not written: it is leased to the agent');
  first.open();
  await story.runs(3);
  await story.session.close();
});

test('CO7 what a command does to a leased file is told to both, and recorded', async () => {
  const at = ground();
  const holder = gate(call('Glob', { pattern: '*' }));
  const story = await open(
    {
      lead: [
        start('First'),
        say('Started.'),
        call('Bash', { command: 'sed -i s/three/THREE/ shared.txt', description: 'x' }),
        say('Done.'),
        say('Heard.'),
      ],
      agents: {
        First: [call('Read', { file_path: at.file }), edit(at.file, 'two', 'TWO'), holder.turn, say('Done.')],
      },
    },
    at,
  );
  await story.prompt('Go');
  await holder.reached;
  await story.prompt('And now');
  expect(story.results().at(-1)).toMatch(
    /\[While this ran, \S+shared.txt was changed, which is leased to the agent a\w+ \(general-purpose "Do First"\)/,
  );
  holder.open();
  await story.runs(3);
  const told = JSON.stringify(story.requestsOf('First').at(-1)?.messages);
  expect(told).toContain('which is leased to you, was changed during a command run by the main agent');
  const files = [{ path: at.file, kind: 'changed', holder: { description: 'Do First' } }];
  expect(story.events.find(({ type }) => type === 'files_touched')).toMatchObject({ agentId: null, files });
  const records = await recordsOf(story.session);
  expect(records.find(({ type }) => type === 'files-touched')).toMatchObject({ files });
  await story.session.close();
});

test('CO7 a command in the background is looked at when it ends', async () => {
  const at = ground();
  const holder = gate(say('Done.'));
  const story = await open(
    {
      lead: [
        start('First'),
        say('Started.'),
        call('Bash', { command: 'echo four >> shared.txt', run_in_background: true }),
        say('Runs.'),
        say('Heard.'),
        say('Heard.'),
      ],
      agents: {
        First: [call('Read', { file_path: at.file }), edit(at.file, 'two', 'TWO'), holder.turn, say('.')],
      },
    },
    at,
  );
  await story.prompt('Go');
  await holder.reached;
  const touched = nextEvent(story, ({ type }) => type === 'files_touched');
  await story.prompt('And now');
  expect(await touched).toMatchObject({ files: [{ path: at.file, kind: 'changed' }] });
  await story.runs(3);
  expect(JSON.stringify(story.leadRequests().at(-1)?.messages)).toContain('While this ran');
  holder.open();
  await story.runs(4);
  await story.session.close();
});

test('CO7 what an agent does to its own files by a command is recorded, and nobody is told', async () => {
  const at = ground();
  const story = await open(
    {
      lead: [
        call('Write', { file_path: join(at.cwd, 'new.txt'), content: 'x' }),
        call('Bash', { command: 'echo y > new.txt' }),
        say('.'),
      ],
      agents: {},
    },
    at,
  );
  await story.prompt('Go');
  expect(story.results().at(-1)).toBe('(no output)');
  expect(story.events.find(({ type }) => type === 'files_touched')).toMatchObject({
    files: [{ path: join(at.cwd, 'new.txt'), kind: 'changed' }],
  });
  await story.session.close();
});

test('CO7 WT1 agents in worktrees of their own write the same file side by side', async () => {
  const at = ground();
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, '..', '.gitconfig'), '[user]\n\tname = T\n\temail = t@example.invalid\n');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'Start'],
  ])
    spawnSync('git', args, { cwd: at.cwd, env: { ...at.environment, GIT_CONFIG_NOSYSTEM: '1' } });
  const apart = (prompt: string) =>
    call('Agent', { description: prompt, prompt, isolation: 'worktree', run_in_background: true });
  const gates = [gate(say('Done.')), gate(say('Done.'))] as const;
  const write = call('Write', { file_path: 'new.txt', content: 'mine' });
  const story = await open(
    {
      lead: [calls([apart('First'), apart('Second')]), say('Started.'), say('.'), say('.')],
      agents: { First: [write, gates[0].turn], Second: [write, gates[1].turn] },
    },
    at,
  );
  await story.prompt('Go');
  await Promise.all(gates.map(({ reached }) => reached));
  expect(new Set(story.session.leases().map(({ path }) => path)).size).toBe(2);
  for (const { open } of gates) open();
  await story.session.finished(new AbortController().signal);
  await story.session.close();
});

test('CO7 leases are published as they come and go', async () => {
  const at = ground();
  const path = join(at.cwd, 'new.txt');
  const story = await open(
    {
      lead: [start('First', false), say('.')],
      agents: { First: [call('Write', { file_path: path, content: 'x' }), say('Done.')] },
    },
    at,
  );
  await story.prompt('Go');
  const seen = story.events.flatMap((event) => (event.type === 'leases_changed' ? [event] : []));
  expect(seen.map(({ leases }) => leases.map((lease) => lease.path))).toEqual([[path], []]);
  expect(seen[0]?.agentId).toMatch(/^a/);
  expect(seen[1]?.parentToolUseId).not.toBeNull();
  await story.session.close();
});

withRealServers(
  'CO7 what a server writes for an agent is leased to it, and a server writes no file of another',
  async () => {
    const at = ground();
    const mine = join(at.cwd, 'mine.txt');
    const by = (path: string) => call('mcp__files__write_file', { path, content: 'by server' });
    const agent = gate(say('Done.'));
    const story = await open(
      {
        lead: [
          start('First'),
          say('Started.'),
          call('Write', { file_path: mine, content: 'mine' }),
          by(at.file),
          call('mcp__files__read_text_file', { path: at.file }),
          say('Refused.'),
          say('Heard.'),
        ],
        agents: {
          First: [call('Read', { file_path: at.file }), edit(at.file, 'two', 'TWO'), by(mine), agent.turn],
        },
      },
      at,
      {
        mcpServers: { files: realServer('filesystem', at.cwd) },
        settings: '{"mcp":{"startupWaitMs":20000}}',
      },
    );
    await story.prompt('Go');
    await agent.reached;
    expect(
      story.session
        .leases()
        .map(({ path }) => path)
        .sort(),
    ).toEqual([mine, at.file]);
    await story.prompt('And now');
    const [, write, server, read] = story.results();
    expect(write).toContain('mine.txt was not written: it is leased to the agent');
    expect(server).toMatch(
      /^Not called: the agent a\w+ \(general-purpose "Do First"\) is writing \S+shared.txt/,
    );
    expect(read).toContain('TWO');
    agent.open();
    await story.runs(3);
    expect(readFileSync(mine, 'utf8')).toBe('by server');
    await story.session.close();
  },
  30_000,
);
