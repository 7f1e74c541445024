import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemMachine } from '../../src/lib/machine.ts';
import { call, calls, say, type Turn } from '../../src/testing/index.ts';
import { holdSyncs } from '../support/held-syncs.ts';
import { until } from '../support/until.ts';
import { open, place } from './support.ts';

test('SE1 a call that can change something is in the transcript before it runs; one that only reads is not', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'file'), 'content');
  const turns = [
    calls([
      call('Read', { file_path: join(at.cwd, 'file') }),
      call('Write', { file_path: join(at.cwd, 'new'), content: 'x' }),
    ]),
    call('Bash', { command: `cat ${at.home}/projects/*/*.jsonl > seen` }),
    say('Done.'),
  ];
  const { session, prompt } = await open(at, turns, {
    permissionMode: 'bypassPermissions',
    allowBypass: true,
  });
  await prompt('Go.');
  await session.close();
  const seen = readFileSync(join(at.cwd, 'seen'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'call-begun');
  expect(seen.map(({ effect }) => effect)).toEqual(['repeatable', 'unsafe']);
  expect(seen.every(({ epoch }) => epoch === 1)).toBe(true);
});

const boss = { description: 'Leads.', prompt: 'Lead.', tools: ['Agent', 'Read'] };
const work = { description: 'Work', prompt: 'Work.', subagent_type: 'boss' };
const echo = 'until [ -e idle ]; do sleep 0.01; done; echo from afar';
const fromAfar = /from afar/i;

test.each([
  ['a background command', [call('Bash', { command: echo, run_in_background: true })]],
  ['a background agent', [call('Agent', { ...work, run_in_background: true })]],
  ['an agent that was waited for', [call('Agent', work)]],
  ["another agent's agent", [call('Agent', work), call('Agent', work)]],
  [
    "another agent's background agent",
    [call('Agent', work), call('Agent', { ...work, run_in_background: true })],
  ],
])('SE1 a model hears of the end of %s only once that is synced to disk', async (name, starts) => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const { disk, pending } = holdSyncs(systemMachine.disk);
  const idle = join(at.cwd, 'idle');
  let mayEnd = false;
  const heard: boolean[] = [];
  /** The lead, its agent, and the agent of that. */
  const askers: (string | null)[] = [];
  const findListener = () => askers[starts.length - 1];
  const answer: Turn = async ({ messages, asker }) => {
    const id = asker?.agentId ?? null;
    const isFirst = !askers.includes(id);
    if (isFirst) askers.push(id);
    const start = starts[askers.indexOf(id)];
    if (!start && name.includes('background')) await until(() => existsSync(idle));
    if (!start) return say('From afar.');
    if (id === findListener() && JSON.stringify(messages.slice(2)).match(fromAfar)) heard.push(mayEnd);
    return isFirst ? start : say('Done.');
  };
  const { session, events } = await open(at, Array<Turn>(8).fill(answer), {
    permissionMode: 'bypassPermissions',
    allowBypass: true,
    machine: { ...systemMachine, disk },
    agents: { boss },
    agentLimits: { maxDepth: 2 },
  });
  session.send({ type: 'prompt', content: 'Go.' });
  const hasMessage = (type: 'user' | 'assistant', text: RegExp) =>
    events.some(
      (event) =>
        event.type === 'message_added' &&
        event.agentId === findListener() &&
        event.record.type === type &&
        text.test(JSON.stringify(event.record.message)),
    );
  await until(() => hasMessage('assistant', /Done/) || hasMessage('user', fromAfar));
  writeFileSync(idle, '');
  await until(() => hasMessage('user', fromAfar));
  mayEnd = true;
  await until(() => {
    for (const end of pending.splice(0)) end();
    return heard.length > 0;
  });
  expect(heard[0]).toBe(true);
  await session.close();
});
