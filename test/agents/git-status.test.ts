import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runOnce } from '../../src/session/run-once.ts';
import {
  call,
  calls,
  type FixedTurn,
  fakeProvider,
  say,
  scriptedModel,
  type TurnMaker,
} from '../../src/testing/index.ts';
import { type Place, place, runOnTape } from '../session/support.ts';
import { needs } from '../support/index.ts';
import { openStory } from './support.ts';
import { openWired } from './wire.ts';

const gitTest = needs('git');

function inGit(cwd: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' });
}

/** A checkout with one commit, one change and one new file. */
function checkout(at = place()): Place {
  mkdirSync(at.cwd, { recursive: true });
  inGit(at.cwd, 'init', '-q', '-b', 'main');
  write(at, 'a.txt', 'one');
  inGit(at.cwd, 'add', '.');
  inGit(at.cwd, 'commit', '-qm', 'The very first');
  inGit(at.cwd, 'switch', '-qc', 'topic');
  write(at, 'a.txt', 'two');
  write(at, 'new file.txt', 'three');
  return at;
}

function write({ cwd }: Place, name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), text);
}

const hire = (more: object = {}) => call('Agent', { description: 'Do it', prompt: 'Do it.', ...more });

/** The bodies that arrive at the provider when the lead says these and every agent says something. */
async function bodiesOf(
  at: Place,
  turns: FixedTurn[],
  options: Parameters<typeof openWired>[1] = {},
): Promise<{ bodies: string[]; systems: string[] }> {
  const left = [...turns];
  const script: TurnMaker = ({ messages }) =>
    isLead(messages) ? (left.shift() ?? say('Done.')) : say('Yes.');
  await using wired = await openWired(script, options, at);
  await wired.prompt('Begin.');
  await wired.session.finished(AbortSignal.timeout(20_000));
  const bodies = wired.bodies();
  return { bodies, systems: bodies.map((body) => textOf(JSON.parse(body).system)) };
}

function isLead(messages: readonly { content: unknown }[]): boolean {
  return JSON.stringify(messages[0]?.content).includes('Begin.');
}

function textOf(system: unknown): string {
  if (typeof system === 'string') return system;
  return (system as { text: string }[]).map(({ text }) => text).join('\n\n');
}

describe("AG11 an agent's system prompt ends with how the checkout stood", () => {
  gitTest('branch, main branch, changes and commits, as a snapshot', async () => {
    const { systems } = await bodiesOf(checkout(), [hire()]);
    const commit = systems[1]?.match(/[0-9a-f]{7,} The very first/)?.[0];
    const lines = ['Branch: topic', 'Main branch: main', 'Status:', ' M a.txt', '?? "new file.txt"'];
    expect(systems[1]).toEndWith(
      ['<git-status>', ...lines, 'Latest commits:', commit, '</git-status>'].join('\n'),
    );
    expect(systems[1]).toContain('a snapshot that does not update');
  });

  gitTest("the lead has it in its first message, so that its system prompt's bytes stay", async () => {
    const { bodies, systems } = await bodiesOf(checkout(), [hire()]);
    expect(systems[0]).not.toContain('<git-status>');
    expect(JSON.stringify(JSON.parse(bodies[0] ?? '{}').messages[0])).toContain('<git-status>');
  });

  for (const subagent_type of ['Explore', 'Plan'])
    gitTest(`${subagent_type} goes without, and LN1 stays lean`, async () => {
      const { bodies, systems } = await bodiesOf(checkout(), [hire({ subagent_type })]);
      expect(systems[1]).toContain('# Environment');
      expect(systems[1]).not.toContain('<git-status>');
      expect(bodies[1]?.length).toBeLessThanOrEqual(12 * 1024);
    });

  for (const field of ['omitProjectMemory', 'omitClaudeMd'])
    gitTest(`a definition with ${field} has neither`, async () => {
      const at = checkout();
      write(at, 'CLAUDE.md', 'Remember this.');
      const define = (more: object) => ({
        agents: { own: { description: 'Own', prompt: 'You are your own.', ...more } },
      });
      const turns = [hire({ subagent_type: 'own' })];
      const without = await bodiesOf(at, turns, define({ [field]: true }));
      expect(without.systems[1]).not.toMatch(/<git-status>|Remember this/);
      const withBoth = await bodiesOf(at, turns, define({}));
      expect(withBoth.systems[1]).toMatch(/Remember this[\s\S]*<git-status>/);
    });

  gitTest('outside of a repository there is nothing', async () => {
    const { systems } = await bodiesOf(place(), [hire()]);
    expect(systems[1]).not.toContain('# Git');
  });

  gitTest('a repository that git cannot read costs the snapshot and nothing else', async () => {
    const at = place();
    mkdirSync(join(at.cwd, '.git'), { recursive: true });
    const story = await openStory({ lead: [hire(), say('Ok.')], agents: { 'Do it.': [say('a')] } }, {}, at);
    await story.prompt('Begin.');
    expect(story.requestsOf('Do it.')[0]?.system.join()).not.toContain('# Git');
    const notices = story.events.filter(({ type }) => type === 'notice_given');
    expect(notices).toMatchObject([{ level: 'debug', text: expect.stringContaining('git status') }]);
    await story.session.close();
  });

  gitTest('siblings have the same bytes, whatever changed between them', async () => {
    const at = checkout();
    const { systems } = await bodiesOf(at, [
      calls([hire(), hire()]),
      call('Write', { file_path: join(at.cwd, 'later.txt'), content: 'x' }),
      hire(),
    ]);
    const ofAgents = systems.filter((text) => text.includes('<git-status>'));
    expect(ofAgents).toHaveLength(3);
    expect(new Set(ofAgents).size).toBe(1);
  });

  gitTest('FK1 a fork has the bytes of its parent', async () => {
    const { systems } = await bodiesOf(checkout(), [hire(), say('Done.')], {
      agentLimits: { fork: true },
    });
    expect(systems.length).toBeGreaterThan(1);
    expect(new Set(systems).size).toBe(1);
  });

  gitTest('an agent in a worktree of its own has the status of that worktree', async () => {
    const { systems } = await bodiesOf(checkout(), [hire({ isolation: 'worktree' })], { sandbox: false });
    const ofAgent = systems.find((text) => text.includes('<git-status>')) ?? '';
    expect(ofAgent).toMatch(/Branch: cadre\//);
    expect(ofAgent).not.toContain('Branch: topic');
  });

  gitTest('an agent that goes on has the prompt it had', async () => {
    const at = checkout();
    const story = await openStory(
      {
        lead: [
          hire({ name: 'helper' }),
          call('SendMessage', { to: 'helper', message: 'More.' }),
          say('Ok.'),
          say('Ok.'),
        ],
        agents: { 'Do it.': [say('a'), say('b')] },
      },
      {},
      at,
    );
    await story.prompt('Begin.');
    await story.session.finished(AbortSignal.timeout(20_000));
    const [first, second] = story.requestsOf('Do it.');
    expect(second?.system).toEqual(first?.system);
    expect(second?.system.at(-1)).toContain('<git-status>');
    await story.session.close();
  });

  gitTest('an agent that a program starts has it too', async () => {
    const story = await openStory({ lead: [say('Ok.')], agents: { 'Do it.': [say('a')] } }, {}, checkout());
    const started = await story.session.spawn({ kind: 'local_agent', prompt: 'Do it.' });
    if (!started.ok) throw new Error(started.problem.message);
    await started.value.result();
    expect(story.requestsOf('Do it.')[0]?.system.at(-1)).toContain('Branch: topic');
    await story.session.close();
  });

  gitTest('and so has one below runOnce', async () => {
    const at = checkout();
    const left = [hire(), say('Done.')];
    const provider = await fakeProvider({
      script: ({ messages }) => (isLead(messages) ? (left.shift() ?? say('Done.')) : say('Yes.')),
    });
    await runOnce({
      prompt: 'Begin.',
      cwd: at.cwd,
      environment: { ...at.environment, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'test-key-1' },
      model: 'anthropic/claude-sonnet-5-5',
    });
    expect(textOf(JSON.parse(provider.requests[1]?.body.toString() ?? '{}').system)).toContain(
      '<git-status>',
    );
    await provider.close();
  });
});

gitTest('G8 a limit of agents holds for those of one message, which all wait for git', async () => {
  const story = await openStory(
    { lead: [calls([hire(), hire()]), say('Ok.')], agents: { 'Do it.': [say('a')] } },
    { agentLimits: { maxTotal: 1 } },
    checkout(),
  );
  await story.prompt('Begin.');
  expect(story.results().filter((text) => text.includes('agents.maxTotal'))).toHaveLength(1);
  await story.session.close();
});

describe('G10 on a tape', () => {
  const turns = () => [hire(), say('Yes.'), hire(), say('Yes.'), say('Done.')];

  async function record(at: Place): Promise<string> {
    const tape = join(dirname(at.cwd), 'run.tape');
    const { closed } = await runOnTape(at, { model: scriptedModel(turns()), record: tape }, 'Begin.');
    expect(closed).toMatchObject({ ok: true });
    return tape;
  }

  gitTest(
    'what was seen is there once for the lead and once for all agents, and a replay in another checkout has it',
    async () => {
      const tape = await record(checkout());
      const seen = readFileSync(tape, 'utf8').match(/"type":"seen"/g);
      expect(seen).toHaveLength(2);
      const elsewhere = place();
      mkdirSync(elsewhere.cwd, { recursive: true });
      inGit(elsewhere.cwd, 'init', '-q', '-b', 'other');
      expect((await runOnTape(elsewhere, { replay: tape })).closed).toMatchObject({ ok: true });
    },
  );

  gitTest('a replay outside of any repository has it, too', async () => {
    const tape = await record(checkout());
    const elsewhere = place();
    mkdirSync(elsewhere.cwd, { recursive: true });
    expect((await runOnTape(elsewhere, { replay: tape })).closed).toMatchObject({ ok: true });
  });

  gitTest(
    'a tape without a snapshot, as those from before it was recorded, replays without one',
    async () => {
      const at = place();
      mkdirSync(at.cwd, { recursive: true });
      const tape = await record(at);
      const lines = readFileSync(tape, 'utf8').split('\n');
      writeFileSync(tape, lines.filter((line) => !line.includes('"type":"seen"')).join('\n'));
      expect((await runOnTape(checkout(at), { replay: tape })).closed).toMatchObject({ ok: true });
    },
  );
});
